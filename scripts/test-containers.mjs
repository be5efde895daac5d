import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { agentsInCache } from './real-agents.mjs';
import { build, install, step } from './steps.mjs';
import { installSystemPackages } from './system-packages.mjs';

/** Engines that may work here, the usual first: in a container, only few runtimes and storage drivers do. */
const engines = ['podman', 'podman --runtime runc', 'podman --runtime runc --storage-driver vfs', 'docker'];

const needed = ['podman', 'runc', 'busybox-static'];
if (!existsSync('/usr/bin/podman') || !existsSync('/usr/bin/busybox')) installSystemPackages(needed);
const given = process.env.ASSAY_CONTAINER_ENGINE;
const engine = given ?? engines.find((command) => works(command.split(' ')));
if (engine === undefined || !existsSync('/usr/bin/busybox')) {
  console.error(
    `Left out: trials in containers. They need an engine (tried: ${engines.join(', ')}) and busybox-static.`,
  );
  process.exit(1);
}
console.log(`Trials run in containers of: ${engine}`);
const agents = agentsInCache();
if (agents.length === 0) console.log('Left out: real agents. `npm run test:agents -- --install-only` installs them.');
install();
build();
const config = ['--config', 'vitest.containers.config.ts', ...process.argv.slice(2)];
step(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...config], {
  env: { ...process.env, ASSAY_CONTAINER_ENGINE: engine, ASSAY_TEST_AGENTS: JSON.stringify(agents) },
});

/** Whether a container of an image that holds nothing but a shell can be run. */
function works([program, ...options]) {
  const image = 'localhost/assay-probe:latest';
  const script = [
    'set -e; folder=$(mktemp -d); trap \'rm -rf "$folder"\' EXIT',
    'mkdir "$folder/bin"; cp /usr/bin/busybox "$folder/bin/sh"',
    'tar -C "$folder" -c . | "$@" import - "$0" >/dev/null',
    '"$@" run --rm --network none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 "$0" /bin/sh -c true',
  ].join('\n');
  return (
    spawnSync('/bin/sh', ['-c', script, image, program, ...options], { stdio: 'ignore', timeout: 60_000 }).status === 0
  );
}
