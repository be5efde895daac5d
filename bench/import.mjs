import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { program, runNode, withFolder } from './measure.mjs';

const fileBytes = 100 * 1_048_576;
const mostMb = 250;

const filler = 'The train to Bergen leaves at noon, and there are seats left. '.repeat(12);

/** A conversation of about 8 kB. */
function conversation(index) {
  const messages = Array.from({ length: 10 }, (_, turn) => ({
    role: turn % 2 === 0 ? 'user' : 'assistant',
    content: `${index}.${turn} ${filler}`,
  }));
  return { id: `c-${index}`, reward: index % 3 === 0 ? 0 : 1, model: 'm', messages };
}

/** An event of one session that goes on for the whole file. */
function sessionLine(index) {
  if (index === 0) return { type: 'thread.started', thread_id: 'one' };
  const item = { id: `item_${index}`, type: 'command_execution', command: `echo ${index}`, aggregated_output: filler };
  return { type: 'item.completed', item: { ...item, exit_code: 0, status: 'completed' } };
}

async function writeLines(file, lineOf) {
  const stream = createWriteStream(file);
  let bytes = 0;
  for (let index = 0; bytes < fileBytes; index++) {
    const line = `${JSON.stringify(lineOf(index))}\n`;
    bytes += line.length;
    if (!stream.write(line)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
}

/** Importing files of 100 MB: many conversations, and one session that never ends. */
export async function imports() {
  return withFolder({}, async (cwd) => {
    const rows = [];
    for (const [what, lineOf] of [
      ['conversations', conversation],
      ['one session', sessionLine],
    ]) {
      const file = join(cwd, `${what.replace(' ', '-')}.jsonl`);
      await writeLines(file, lineOf);
      const { seconds, peakMb, stdout } = runNode([program, 'import', file, '--json'], { cwd, withPeak: true });
      const { totals } = JSON.parse(stdout);
      rows.push({
        what: `import 100 MB of JSON Lines, ${what}`,
        measured: `${Math.round(peakMb)} MB, ${seconds.toFixed(1)} s, ${totals.planned} trials`,
        target: `at most ${mostMb} MB`,
        isMet: peakMb <= mostMb,
      });
    }
    return rows;
  });
}
