import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const results = 'results.json';

/** The body of an eval file: harness, rows and what is expected of each output. */
const described = {
  cheap: ({ cases }) => `
import { add } from './tool.mjs';
const rows = Array.from({ length: ${cases} }, (_, index) => ({ a: index, b: index * 2 }));
const harness = createHarness({ name: 'add', run: ({ input }) => ({ output: add(input), usage: {}, events: [{ type: 'message', role: 'user', content: input }] }) });
describeEval('add', { harness }, (it) => {
  it.for(rows)('adds $a and $b', async (row, { run }) => {
    const { output } = await run(row);
    expect(output.ok).toBe(true);
    expect(output.sum).toBe(row.a + row.b);
    expect(output.message).toContain('added');
  });
});
`,
  http: ({ cases, url }) => `
const rows = Array.from({ length: ${cases} }, (_, index) => ({ name: 'guest ' + index }));
const harness = createHarness({
  name: 'agent',
  run: async ({ input }) => {
    const messages = [{ role: 'user', content: input }];
    const response = await fetch('${url}', { method: 'POST', body: JSON.stringify({ messages }) });
    const { message } = await response.json();
    return { output: message.content, usage: {}, events: [{ type: 'message', ...messages[0] }, { type: 'message', ...message }] };
  },
});
describeEval('greet', { harness }, (it) => {
  it.for(rows)('greets $name', async ({ name }, { run }) => {
    const beganMs = performance.now();
    const { output } = await run('Hello ' + name);
    expect(output).toContain('Hello');
    expect(performance.now() - beganMs).toBeLessThan(60_000);
    expect(output).not.toContain('sorry');
  });
});
`,
  judged: ({ cases, url, delayMs }) => `
import { setTimeout as wait } from 'node:timers/promises';
const rows = Array.from({ length: ${cases} }, (_, question) => ({ question: String(question) }));
const harness = createHarness({
  name: 'answer',
  run: async ({ input }) => {
    const output = await wait(${delayMs}, 'the answer is blue');
    return { output, usage: {}, events: [{ type: 'message', role: 'user', content: input }] };
  },
});
const judgeHarness = createJudgeHarness({
  name: 'model',
  run: async ({ prompt }) => {
    const response = await fetch('${url}/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer scripted-key' },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: prompt }] }),
    });
    return (await response.json()).choices[0].message.content;
  },
});
const judge = createJudge('blue', async ({ output, runJudge }) => {
  const verdict = await runJudge({ prompt: 'The answer is the word blue. The answer: ' + output });
  const { score, reason } = JSON.parse(verdict);
  return { score, metadata: { rationale: reason } };
});
describeEval('judged', { harness, judgeHarness, judges: [judge], judgeThreshold: 0.5 }, (it) => {
  it.for(rows)('answers $question', async ({ question }, { run }) => {
    await run(question);
  });
});
`,
};

const imports = `import { expect } from 'vitest';
import { createHarness, createJudge, createJudgeHarness, describeEval } from 'vitest-evals';
`;

export const vitestEvals = {
  name: 'vitest-evals',
  program: 'vitest',
  filesFor: (workload) => ({
    ...workload.files,
    'bench.eval.mjs': imports + described[workload.kind](workload),
    'vitest.config.mjs': `export default { test: { include: ['bench.eval.mjs'], sequence: { concurrent: true }, maxConcurrency: ${workload.concurrency} } };\n`,
  }),
  argumentsFor: () => ['run', '--reporter=vitest-evals/reporter', '--reporter=json', `--outputFile.json=${results}`],
  envFor: () => ({ VITEST_SKIP_INSTALL_CHECKS: '1' }),
  passedIn: (cwd) => JSON.parse(readFileSync(join(cwd, results), 'utf8')).numPassedTests,
};
