#!/bin/sh
# Makes the role and the database of `store.url` when the server starts for the first time.
set -eu
psql --username=postgres --set=ON_ERROR_STOP=1 --no-psqlrc --quiet <<SQL
\set password \`cat ${NOTEWELL_SECRETS:-/run/secrets}/database-password\`
create role notewell login createrole password :'password';
create database notewell owner notewell;
\connect notewell
create extension vector;
create extension postgres_fdw;
grant usage on foreign data wrapper postgres_fdw to notewell;
SQL
