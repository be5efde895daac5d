import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build, install, root } from './steps.mjs';

/** The web UI over an example, until one has a project of one's own: `npm start -- --port 4800`. */
install();
build();
const program = join(root, 'bin', 'assay.js');
const child = spawn(process.execPath, [program, 'serve', '--open', ...process.argv.slice(2)], {
  cwd: join(root, 'examples', 'spreadsheet'),
  stdio: 'inherit',
});
// A terminal sends its signals to both, and the server would take a second one for impatience.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    if (signal === 'SIGTERM' || !process.stdin.isTTY) child.kill(signal);
  });
const [code] = await once(child, 'exit');
process.exit(code ?? 1);
