(package_statement (package_name) @name) @definition
(function_definition name: (_) @name) @definition
