// The numbers of the operators: `OPERATOR` is one of them. On the host `ReduceOp` and `ScanOp` have them.
#ifndef WAVELANE_OPERATORS
#define WAVELANE_OPERATORS

const uint OPERATOR_SUM = 0u;
const uint OPERATOR_PROD = 1u;
const uint OPERATOR_MIN = 2u;
const uint OPERATOR_MAX = 3u;
const uint OPERATOR_AND = 4u;
const uint OPERATOR_OR = 5u;
const uint OPERATOR_XOR = 6u;
const uint OPERATOR_ANY = 7u;
const uint OPERATOR_ALL = 8u;
const uint OPERATOR_MEAN = 9u;
const uint OPERATOR_VAR = 10u;
const uint OPERATOR_NORM1 = 11u;
const uint OPERATOR_NORM2 = 12u;
const uint OPERATOR_ARGMIN = 13u;
const uint OPERATOR_ARGMAX = 14u;
// Carries the last element that is not zero: of scans only.
const uint OPERATOR_LAST = 15u;

#endif
