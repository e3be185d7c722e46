-- Runs once, when the database server is set up. The service gets a role that owns its database and nothing else.
\getenv password PETSTORE_PASSWORD
CREATE ROLE petstore LOGIN PASSWORD :'password';
CREATE DATABASE petstore OWNER petstore;
REVOKE CONNECT ON DATABASE petstore FROM PUBLIC;
