import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { median, program, runNode, withFolder } from './measure.mjs';

const calls = 200;

const scenario = (name, prompt) => `name: ${name}
description: measured
target: { binary: ../bin/tool }
template_folder: ../template
task: ${prompt}
evaluation: { gates: [{ type: file_exists, path: done.txt }] }
cost: { cache: false }
`;
const loop = (command) =>
  `steps:\n  - i=0; while [ $i -lt ${calls} ]; do ${command}; i=$((i+1)); done; touch done.txt\n`;

/** What Assay itself costs in a trial with an agent, what the recorder adds to a call, and what many trials take. */
export async function agents() {
  const files = {
    's/one.yaml': scenario('One', 'Do nothing'),
    'nothing.yaml': 'steps: ["touch done.txt"]\n',
    'recorded.yaml': loop('tool'),
    'bare.yaml': loop('"$REAL_TOOL"'),
    'assay.config.yaml': ['nothing', 'recorded', 'bare']
      .map((name) => `  ${name}: { kind: scripted, script: ${name}.yaml, env: { REAL_TOOL: "\${REAL_TOOL}" } }`)
      .join('\n')
      .replace(/^/, 'agents:\n'),
  };
  return withFolder({}, async (cwd) => {
    for (const folder of ['s', 'bin', 'template']) await mkdir(join(cwd, folder));
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
    for (let index = 1; index <= 100; index++) {
      await writeFile(join(cwd, 'template', `file-${index}.txt`), `line of file ${index}\n`.repeat(50));
    }
    await symlink('/bin/true', join(cwd, 'bin', 'tool'));
    const env = { REAL_TOOL: join(cwd, 'bin', 'tool') };
    const run = (flags, more = {}) =>
      runNode([program, 'run', 's/one.yaml', '--quiet', ...flags], { cwd, env, withPeak: true, ...more });
    run(['--agent', 'nothing']);
    const one = run(['--agent', 'nothing', '--concurrency', '1']);
    const many = run(['--agent', 'nothing', '--concurrency', '1', '--repeat', '21']);
    const perTrial = ((many.seconds - one.seconds) / 20) * 1_000;
    const loopMs = (agent) => {
      const { stdout } = run(['--agent', agent, '--concurrency', '1', '--json']);
      return JSON.parse(stdout).trials[0].durationMs;
    };
    const rounds = [0, 1, 2];
    const recorded = median(rounds.map(() => loopMs('recorded')));
    const bare = median(rounds.map(() => loopMs('bare')));
    const perCall = (recorded - bare) / calls;
    const crowd = run(['--agent', 'nothing', '--concurrency', '8', '--repeat', '200']);
    return [
      {
        what: 'a trial with an agent that writes one file, 100 files',
        measured: `${perTrial.toFixed(0)} ms`,
        target: 'at most 150 ms',
        isMet: perTrial <= 150,
      },
      {
        what: '  recorder, added to each call',
        measured: `${perCall.toFixed(1)} ms (bare ${(bare / calls).toFixed(1)} ms)`,
        target: 'at most 4 ms',
        isMet: perCall <= 4,
        goal: 'recorder, added to each call of a tool',
      },
      {
        what: '  200 such trials at concurrency 8, peak memory',
        measured: `${crowd.peakMb.toFixed(0)} MB, ${(200 / crowd.seconds).toFixed(0)} trials/s`,
        target: 'at most 200 MB',
        isMet: crowd.peakMb <= 200,
      },
    ];
  });
}
