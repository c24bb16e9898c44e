(data_type name: (_) @name) @definition
(newtype name: (_) @name) @definition
(type_synomym name: (_) @name) @definition
(class name: (_) @name) @definition
(instance name: (_) @name) @definition
(signature name: (_) @name) @definition
(function name: (_) @name) @definition
(bind name: (_) @name) @definition
