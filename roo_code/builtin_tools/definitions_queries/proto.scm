(message (message_name) @name) @definition
(enum (enum_name) @name) @definition
(service (service_name) @name) @definition
(rpc (rpc_name) @name) @definition
