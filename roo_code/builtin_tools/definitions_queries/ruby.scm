(module name: (_) @name) @definition
(class name: (_) @name) @definition
(singleton_class value: (_) @name) @definition
(method name: (_) @name) @definition
(singleton_method name: (_) @name) @definition
