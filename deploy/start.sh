#!/bin/sh
# Starts the server with the secrets that compose mounts as files: no argument and no image has them.
set -eu
secrets=${NOTEWELL_SECRETS:-/run/secrets}
if [ -r "$secrets/database-password" ]; then
    PGPASSWORD=$(cat "$secrets/database-password")
    export PGPASSWORD
fi
exec notewell serve --vault "${NOTEWELL_VAULT:-/vault}" --yes --host 0.0.0.0 --token-file "$secrets/token" "$@"
