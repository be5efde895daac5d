import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvaluatedWorkspace, GateResult } from '../../../domain/gate.ts';
import type { Trace } from '../../../domain/trace.ts';
import { runScript } from '../../../drive/workspace/run-script.ts';
import type { Answer, EvaluationContext, Evaluator } from '../../../score/evaluators/evaluator.ts';
import { redactionOf } from '../../../shared/redaction/redaction.ts';

/** A trial that left its work in a real folder, which goes with it. */
export interface Work extends AsyncDisposable {
  readonly directory: string;
  readonly context: EvaluationContext;
}

/** Makes a trial whose work directory is `fixture` in a temporary folder. */
export async function createWork(trace: Trace = []): Promise<Work> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-gate-'));
  const directory = join(folder, 'fixture');
  await mkdir(directory);
  const target = { type: 'cli-tool', config: { binary: 'tasks', prompt: 'Do it' } };
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', GREETING: 'hello' };
  const workspace: EvaluatedWorkspace = {
    directory,
    transcriptFile: join(folder, 'transcript.raw.txt'),
    runGrader: (command, request) =>
      runScript(command, { ...request, cwd: directory, env: { ...env, ...request.env }, tag: randomUUID() }),
  };
  const context = {
    trial: { trialId: 't-1', scenario: { name: 'sample', target } },
    trace,
    workspace,
    failures: [],
    services: { env: {}, updatesGolden: false, redact: redactionOf(['s3cret-key']) },
    judging: { ask: () => Promise.reject(new Error('unexpected call of the judge')) },
    signal: new AbortController().signal,
  };
  return {
    directory,
    context: context as unknown as EvaluationContext,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Asks an evaluator as the engine does, its config checked first. */
export async function ask(evaluator: Evaluator, config: object, context: EvaluationContext): Promise<Answer> {
  return evaluator.prepare(evaluator.configSchema.parse(config))(context);
}

/** Asks a gate and gives what stands in the list of gates. */
export async function gateResult(gate: Evaluator, config: object, context: EvaluationContext): Promise<GateResult> {
  const answer = await ask(gate, config, context);
  const [result, ...others] = answer.findings?.gates ?? [];
  if (!result || others.length > 0) throw new Error('a gate gives one result');
  if (answer.state !== (result.passed ? 'pass' : 'fail')) throw new Error(`the answer is ${answer.state}`);
  return result;
}

/** Asks a gate in a fresh work directory; `pass` or `fail` and its message, which must be fit for a terminal. */
export async function messageOf(gate: Evaluator, config: object): Promise<string> {
  await using work = await createWork();
  const { passed, message } = await gateResult(gate, config, work.context);
  if (/[\p{Cc}\p{Cs}]/u.test(message) || message.length > 2_000) throw new Error('the message is unfit to be shown');
  return `${passed ? 'pass' : 'fail'}: ${message}`;
}
