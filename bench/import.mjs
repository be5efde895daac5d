import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { program, runNode, withFolder } from './measure.mjs';

const mebibyte = 1_048_576;
const otlpMebibytes = Number(process.env.ASSAY_BENCH_OTLP_MB ?? 1_024);
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

/** A trace of ten spans, as an exporter to files writes it; the root comes last. */
function otlpLine(index) {
  const traceId = (index + 1).toString(16).padStart(32, '0');
  const spans = Array.from({ length: 10 }, (_, span) => ({
    traceId,
    spanId: (10 - span).toString(16).padStart(16, '0'),
    ...(span < 9 && { parentSpanId: '0000000000000001' }),
    name: 'chat',
    startTimeUnixNano: String(1_763_300_000_000_000_000n + BigInt(span) * 1_000_000n),
    endTimeUnixNano: String(1_763_300_000_000_900_000n + BigInt(span) * 1_000_000n),
    attributes: attributesOf(
      span === 9
        ? { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'clerk' }
        : { 'gen_ai.operation.name': 'chat', 'gen_ai.output.messages': messageOf(`${index}.${span} ${filler}`) },
    ),
  }));
  return {
    resourceSpans: [{ resource: { attributes: attributesOf({ 'service.name': 'desk' }) }, scopeSpans: [{ spans }] }],
  };
}

const messageOf = (content) => JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content }] }]);

const attributesOf = (values) => Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));

async function writeLines(file, lineOf, fileBytes) {
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

/** Importing files of 100 MB (many conversations, and one session that never ends), and traces of 1 GB. */
export async function imports() {
  return withFolder({}, async (cwd) => {
    const rows = [];
    for (const [what, lineOf, mebibytes] of [
      ['conversations', conversation, 100],
      ['one session', sessionLine, 100],
      ['OTLP traces', otlpLine, otlpMebibytes],
    ]) {
      const file = join(cwd, `${what.replace(' ', '-')}.jsonl`);
      await writeLines(file, lineOf, mebibytes * mebibyte);
      const { seconds, peakMb, stdout } = runNode([program, 'import', file, '--json'], { cwd, withPeak: true });
      const { totals } = JSON.parse(stdout);
      rows.push({
        what: `import ${mebibytes} MB of JSON Lines, ${what}`,
        measured: `${Math.round(peakMb)} MB, ${seconds.toFixed(1)} s, ${totals.planned} trials`,
        target: `at most ${mostMb} MB`,
        isMet: peakMb <= mostMb,
      });
    }
    return rows;
  });
}
