#include "captured.h"

#include <unistd.h>

#include "unit.h"

struct captured captured_begin(void)
{
    struct captured captured = {tmpfile(), dup(STDERR_FILENO)};
    assert_non_null(captured.file);
    assert_true(captured.stderr_fd >= 0);
    assert_true(dup2(fileno(captured.file), STDERR_FILENO) >= 0);
    return captured;
}

void captured_end(const struct captured *captured, char text[CAPTURED_SIZE])
{
    dup2(captured->stderr_fd, STDERR_FILENO);
    close(captured->stderr_fd);
    rewind(captured->file);
    text[fread(text, 1, CAPTURED_SIZE - 1, captured->file)] = '\0';
    fclose(captured->file);
}
