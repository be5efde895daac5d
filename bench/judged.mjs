import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { program, runNode, withFolder } from './measure.mjs';

const cases = 1_000;
const concurrency = 32;
const delayMs = 20;

const scenario = `name: Judged answers
call: { module: ./tool.mjs, export: answer }
dataset: ./rows.jsonl
judge:
  model: openai/gpt-4o-mini
  successCriteria: The answer is the word blue
`;
const script = JSON.stringify({
  delayMs,
  rules: [
    {
      reply: {
        json: {
          criteria: [
            {
              id: 'success-1',
              reasoning: 'It says so.',
              evidence: [{ event: 'e2', quote: 'the answer is blue' }],
              answer: 'met',
            },
          ],
          confidence: 1,
        },
      },
    },
  ],
});
const tool = `import { setTimeout as wait } from 'node:timers/promises';
export async function answer({ question }) {
  await wait(Number(process.env.ANSWER_DELAY_MS));
  return { question, text: 'the answer is blue' };
}
`;
const rows = Array.from({ length: cases }, (_, index) => JSON.stringify({ question: index })).join('\n');

/** One answer and one judge call for each case, against a scripted model, and the same again from recordings. */
export async function judged() {
  return withFolder(
    { 's.yaml': scenario, 'tool.mjs': tool, 'rows.jsonl': rows, 'script.json': script },
    async (cwd) => {
      const server = spawn(process.execPath, [program, 'fake-model', 'script.json'], {
        cwd,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      try {
        const [url] = await once(createInterface(server.stdout), 'line');
        const env = { ANSWER_DELAY_MS: String(delayMs), OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'scripted-key' };
        const run = (flags, changes = {}) =>
          runNode([program, 'run', 's.yaml', '--quiet', '--no-cache', '--concurrency', String(concurrency), ...flags], {
            cwd,
            env: { ...env, ...changes },
            withPeak: true,
          });
        run(['--record', 'tapes']);
        const asked = run([]);
        const replayed = run(['--replay', 'tapes'], { ANSWER_DELAY_MS: '0' });
        const ideal = (2 * delayMs * cases) / concurrency / 1_000;
        const share = ideal / asked.seconds;
        const rate = cases / replayed.seconds;
        return [
          {
            what: `${cases} judged cases at concurrency ${concurrency}`,
            measured: `${(share * 100).toFixed(0)} % of the ideal (${asked.seconds.toFixed(2)} s)`,
            target: 'at least 70 %',
            isMet: share >= 0.7,
          },
          {
            what: '  peak memory',
            measured: `${asked.peakMb.toFixed(0)} MB`,
            target: 'at most 150 MB',
            isMet: asked.peakMb <= 150,
          },
          {
            what: '  strict replay of the same',
            measured: `${Math.round(rate).toLocaleString('en-US')} cases/s`,
            target: 'at least 2,000',
            isMet: rate >= 2_000,
          },
        ];
      } finally {
        server.kill('SIGKILL');
      }
    },
  );
}
