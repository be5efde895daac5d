import { basename } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { faultOf } from '../../../domain/outcome.ts';
import { readUsage } from '../../../domain/usage.ts';
import { isRecord } from '../../../shared/json.ts';
import { Repeats } from '../../../shared/repeats.ts';
import { amountOf, type JsonObject, knownParts, msOfSeconds, nameOf, objectOf, parseJson } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import { lost } from '../losses.ts';
import { someObject } from '../sample.ts';
import { agentEnded } from '../session-lines.ts';
import { TraceCollector } from '../trace-collector.ts';

/** Trajectories of SWE-agent (`.traj`): one file is a trial. Whether the issue was solved is not in them. */
export const sweAgent: ImportFormat = {
  name: 'swe-agent',
  summary: 'trajectories of SWE-agent (.traj)',
  reports: ['tool-calls', 'shell-calls'],
  recognises: (sample) =>
    /"trajectory"\s*:\s*\[/.test(sample.text) &&
    (someObject(sample, isStep) || /"(?:observation|thought)"\s*:/.test(sample.text)),
  lacks: ({ text, fileName }) =>
    fileName.endsWith('.traj') || /"trajectory"\s*:\s*\[/.test(text)
      ? '`trajectory` with steps of `action` and `observation`'
      : undefined,
  async *read(source) {
    const collector = new TraceCollector();
    const repeats = new Repeats();
    let head: JsonObject = {};
    let steps = 0;
    let firstLine: number | undefined;
    for await (const record of source.records('trajectory', 'history')) {
      firstLine ??= record.line;
      head = record.head;
      if (record.key === 'history') {
        if (steps === 0) addPrompt(collector, record.value);
      } else if (record.key === 'trajectory' && isRecord(record.value) && isStep(record.value)) {
        if (repeats.standingOf(record.value) === 'again')
          source.lostPart(record.line, 'the same step stands twice in a row and counts once');
        else addStep(collector, record.value, ++steps);
      } else source.lostPart(record.line, 'not a step: `action` or `observation` is missing');
    }
    if (firstLine === undefined || steps === 0) return;
    source.lossesInto(collector);
    const { api_calls: requests } = objectOf(objectOf(head.info).model_stats);
    if (steps > (amountOf(requests) ?? steps))
      collector.lose(lost.everything, `the trajectory has ${steps} steps of ${amountOf(requests)} requests`);
    yield trialOf(head, collector, firstLine, basename(source.path).replace(/\.traj(\.json)?$/, ''));
  },
};

function isStep(object: JsonObject): boolean {
  return typeof object.action === 'string' && 'observation' in object;
}

/** The task is in the messages that precede the steps. */
function addPrompt(collector: TraceCollector, message: unknown): void {
  const { role, content, is_demo } = objectOf(message);
  if (is_demo === true || typeof content !== 'string' || (role !== 'system' && role !== 'user')) return;
  collector.emit({ type: 'message', seenBy: 'engine', role, text: content });
}

function addStep(collector: TraceCollector, step: JsonObject, number: number): void {
  const callId = `step-${number}`;
  const thought =
    collector.words(step, 'thought', lost.answer, callId) ?? collector.words(step, 'response', lost.answer, callId);
  if (thought !== undefined) collector.emit({ type: 'message', role: 'assistant', text: thought });
  const command = collector.words(step, 'action', lost.call, callId)?.trim();
  if (command === undefined) return;
  collector.emit({ type: 'tool-call', callId, tool: 'bash', kind: 'shell', input: { command }, shellCommand: command });
  const ms = msOfSeconds(step.execution_time);
  const durationMs = ms === undefined ? undefined : Math.round(ms);
  const result = collector.words(step, 'observation', lost.result, callId) ?? '';
  collector.emit({ type: 'tool-result', callId, durationMs, result });
}

/** Ends at which the agent's provider or its environment failed, and not the agent. */
const brokenEnds = /^exit_(?:api|environment_error|error|command_timeout)$/;

function trialOf(head: JsonObject, collector: TraceCollector, line: number, instance: string): ImportedTrial {
  const info = objectOf(head.info);
  const stats = objectOf(info.model_stats);
  const replayed = objectOf(
    typeof head.replay_config === 'string' ? parseJson(head.replay_config) : head.replay_config,
  );
  const model = nameOf(objectOf(objectOf(replayed.agent).model).name);
  const { usage } = readUsage({ inputTokens: stats.tokens_sent ?? undefined, outputTokens: stats.tokens_received });
  const ended = nameOf(info.exit_status) ?? 'unknown';
  if (ended === 'unknown') collector.lose(lost.everything, 'the trajectory does not say how it ended');
  const completed = ended === 'submitted';
  const fault = new AssayError('AGENT_FAILED', `SWE-agent ended with \`${ended}\`.`);
  return {
    line,
    scenario: instance,
    caseId: 'task',
    variant: knownParts({ agent: 'swe-agent', model }),
    trace: [...collector.finish(), agentEnded(completed ? null : ended, 0)],
    verdict: undefined,
    ...(brokenEnds.test(ended) && { fault: faultOf(fault) }),
    costUsd: amountOf(stats.instance_cost),
    usage: usage ?? null,
  };
}
