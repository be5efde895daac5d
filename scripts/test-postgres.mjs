import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findPostgres } from './find-postgres.mjs';
import { startPostgres } from './start-postgres.mjs';
import { build, install, root } from './steps.mjs';

const bin = findPostgres();
if (bin === undefined) {
  console.error('There is no Postgres server here: install one (Debian: postgresql), or set ASSAY_POSTGRES_BIN.');
  process.exit(1);
}
install();
build();
const server = await startPostgres(bin, ['fsync=off', 'full_page_writes=off', 'max_connections=300']);
try {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--config', 'vitest.postgres.config.ts', ...process.argv.slice(2)];
  const env = { ...process.env, ASSAY_TEST_POSTGRES: JSON.stringify({ bin, url: server.url() }) };
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env });
  const [exitCode] = await once(child, 'exit');
  process.exitCode = exitCode ?? 1;
} finally {
  await server[Symbol.asyncDispose]();
}
