(class_declaration name: (_) @name) @definition
(protocol_declaration name: (_) @name) @definition
(typealias_declaration name: (_) @name) @definition
(function_declaration name: (_) @name) @definition
(protocol_function_declaration name: (_) @name) @definition
(init_declaration "init" @name) @definition
(deinit_declaration "deinit" @name) @definition
