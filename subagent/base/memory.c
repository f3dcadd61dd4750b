#include "base/memory.h"

#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEPT (64 << 20)
#define LARGEST (32 << 20)

/* Whether the dynamic linker changed segments that are mapped for reading only. */
static bool has_text_relocations(const struct dl_phdr_info *info, const ElfW(Phdr) * segment)
{
    const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(info->dlpi_addr + segment->p_vaddr);
    for (; segment->p_type == PT_DYNAMIC && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_TEXTREL ||
            (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL))
            return true;
    return false;
}

/* Segments that are mapped for reading only have not been changed, so that MADV_DONTNEED of
 * madvise(2) loses nothing. A page that a segment shares with the next one is kept. */
static int let_go(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    const uintptr_t page = *(const uintptr_t *)context;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (has_text_relocations(info, &info->dlpi_phdr[i]))
            return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W)
            continue;
        uintptr_t begin = (info->dlpi_addr + segment->p_vaddr + page - 1) / page * page;
        uintptr_t end = (info->dlpi_addr + segment->p_vaddr + segment->p_memsz) / page * page;
        if (end > begin)
            madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
    return 0;
}

void memory_trim(void)
{
    malloc_trim(0);
}

void memory_keep(void)
{
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_MMAP_THRESHOLD, LARGEST);
}

void memory_let_go(void)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    memory_trim();
    dl_iterate_phdr(let_go, &page);
}
