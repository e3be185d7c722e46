-- Runs once, when the database server is set up. The service gets a role that owns its database and nothing else.
\getenv password PETSTORE_PASSWORD
CREATE ROLE petstore LOGIN PASSWORD :'password';
CREATE DATABASE petstore OWNER petstore;
REVOKE CONNECT ON DATABASE petstore FROM PUBLIC;

-- In a database that is shared with other programs, the role gets a schema instead of the database. Run there, with the
-- name of that database in place of "shared", and give no other role CREATE on the schema or the database:
--   CREATE SCHEMA petstore AUTHORIZATION petstore;
--   ALTER ROLE petstore IN DATABASE shared SET search_path = petstore;
