#include "tests/unit/unit.h"
