import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./store-writer.mjs', import.meta.url));
const writers = 4;

/** Lets four processes write into a store at once, each its own run and one that all share; returns their errors. */
export function complaintsOfWriters(url: string, ownTrials: number, sharedTrials: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const args = [program, url, String(writer), String(ownTrials), String(sharedTrials)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      const [code] = await once(child, 'close');
      return code === 0 ? '' : stderr;
    }),
  );
}
