(binary_operator lhs: (_) @name rhs: (function_definition)) @definition
