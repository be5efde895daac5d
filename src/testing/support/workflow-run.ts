import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { TrialRecord } from '../../domain/record.ts';
import type { TraceEvent } from '../../domain/trace.ts';
import type { Variant } from '../../domain/variant.ts';
import { RunSessions } from '../../drive/mcp/sessions.ts';
import type { LoggedRequest, ScriptSource } from '../../drive/models/scripted/index.ts';
import { mcpWorkflowTarget } from '../../drive/targets/mcp/mcp-workflow-target.ts';
import { evaluators } from '../../score/evaluators/index.ts';
import { runOnEngine } from './engine-run.ts';
import { scenarioOf } from './faulty-parts.ts';
import { keys, opened, scripted, skippingClock } from './models.ts';

const serverFile = fileURLToPath(new URL('../fakes/mcp/workflow-server.mjs', import.meta.url));

interface WorkflowTest {
  readonly rules: ScriptSource['rules'];
  readonly workflow: object;
  readonly variant?: Variant;
  /** Special behaviour of the server. */
  readonly modes?: readonly string[];
  readonly config?: object;
  readonly timeoutMs?: number;
}

export interface WorkflowResult {
  readonly record: TrialRecord;
  readonly trace: readonly TraceEvent[];
  /** Requests to the model. */
  readonly requests: readonly LoggedRequest[];
  /** Calls in the log of the server. */
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
}

/** Takes a workflow on the real engine: a real server over stdio, and a scripted model over HTTP. */
export async function takeWorkflow(test: WorkflowTest): Promise<WorkflowResult> {
  const { rules, workflow, variant = { model: 'openai/gpt-4o' }, modes = [], config, timeoutMs } = test;
  const folder = await mkdtemp(join(tmpdir(), 'workflow-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const model = await scripted({ rules });
  const models = opened({ env: { ...model.environment, ...keys }, clock: skippingClock() });
  const callsFile = join(folder, 'calls.jsonl');
  const server = { command: 'node', args: [serverFile, callsFile, ...modes] };
  await using sessions = new RunSessions();
  let trace: TraceEvent[] = [];
  const kind: typeof mcpWorkflowTarget = {
    ...mcpWorkflowTarget,
    async open(written, context) {
      const reach = { models: async () => models, mcpSessions: async () => sessions };
      const target = await mcpWorkflowTarget.open(written, { ...context, directory: folder, ...reach });
      return {
        attempt: (trial, growing, stop, turns) => {
          trace = growing.events;
          return target.attempt(trial, growing, stop, turns);
        },
        [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
      };
    },
  };
  const types = ['workflow-success', 'workflow-tool-order', 'workflow-call-health'];
  const specs = types.map((type) => ({ type, config: {} }));
  const target = { type: 'mcp-workflow', config: mcpWorkflowTarget.configSchema.parse({ server, ...config }) };
  const scenario = {
    ...scenarioOf('flow', target, specs, timeoutMs),
    serverPart: 'workflow' as const,
    variants: [variant],
    async *cases() {
      yield { caseId: 'flow', input: { name: 'flow', ...workflow }, expected: undefined, evaluators: specs };
    },
  };
  const { records } = await runOnEngine([scenario], { targets: [kind], evaluators });
  const log = await readFile(callsFile, 'utf8').catch(() => '');
  const calls = log
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as WorkflowResult['calls'][0]]));
  if (!records.flow) throw new Error('The workflow left no record.');
  return { record: records.flow, trace, requests: model.log(), calls };
}
