import { readCounts } from '../../../drive/wire/reported-usage.ts';
import { isRecord } from '../../../shared/json.ts';
import { ChatTrial } from '../chat-trial.ts';
import { amountOf, type JsonObject, knownParts, msOfSeconds, nameOf, objectOf } from '../coerce.ts';
import type { SourceRecord } from '../document-parts.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource } from '../import-source.ts';
import { lost } from '../losses.ts';
import { someObject } from '../sample.ts';
import { agreedVerdict, errorText, type RecordedVerdict, verdictOfReward } from '../score-verdict.ts';

/** Results of tau-bench and tau2-bench: a task, a trial, its reward and its messages. */
export const tauBench: ImportFormat = {
  name: 'tau-bench',
  summary: 'results of tau-bench or tau2-bench: task, trial, reward, messages',
  reports: ['tool-calls'],
  recognises: (sample) => someObject(sample, isResult) || /"simulations"\s*:\s*\[/.test(sample.text),
  lacks: (sample) =>
    someObject(sample, (object) => 'task_id' in object)
      ? '`reward`, `reward_info` or `traj` beside `task_id`'
      : undefined,
  async *read(source) {
    let [tasks, simulations, trialsPerTask]: [number, number, number?] = [0, 0];
    for await (const record of source.records('simulations', 'tasks')) {
      trialsPerTask ??= amountOf(objectOf(objectOf(record.head).info).num_trials);
      if (record.key === 'simulations') simulations++;
      if (record.key === 'tasks') {
        tasks++;
        continue;
      }
      const isSimulation = record.key === 'simulations' && isRecord(record.value) && 'task_id' in record.value;
      if (isRecord(record.value) && (isSimulation || isResult(record.value)))
        yield trialIn(record.value, record, source);
      else source.problem(record.line, 'not a result: `task_id` with a `reward` or messages is missing');
    }
    if (tasks > 0 && trialsPerTask !== undefined)
      source.expectCount('simulation', [tasks * trialsPerTask], simulations);
  },
};

/** A task with `passed` may be of any program: what is particular to tau-bench are its rewards and trajectories. */
function isResult(object: JsonObject): boolean {
  const isJudged = 'reward' in object || isRecord(object.reward_info);
  return 'task_id' in object && (isJudged || Array.isArray(object.traj));
}

function messagesOf(object: JsonObject): unknown {
  return object.traj ?? object.messages ?? object.trajectory;
}

function trialIn(object: JsonObject, { line, head, key }: SourceRecord, source: ImportSource): ImportedTrial {
  const trial = new ChatTrial(source, line, object.start_time);
  const { collector, chat, place } = trial;
  const messages = messagesOf(object);
  const missing = `task ${nameOf(object.task_id)} has no messages`;
  if (!Array.isArray(messages)) source.warning(line, missing);
  if (messages == null) collector.lose(lost.everything, missing, place);
  // The simulated user has its own tools.
  const ofAgent = Array.isArray(messages) ? messages.filter((message) => !isOfUsersTool(message)) : messages;
  trial.addAll(ofAgent, (number) => `message ${number} of task ${nameOf(object.task_id)} is not valid`);
  const costUsd = [object.agent_cost, objectOf(object.info).agent_cost, object.cost_usd].find((cost) => cost != null);
  if (isRecord(object.usage)) chat.addTotal({ usage: readCounts(object.usage) }, place);
  chat.finish();
  const verdict = verdictOf(object, key === 'simulations');
  const number = amountOf(object.trial);
  return trial.finish({
    id: nameOf(object.id) ?? (number === undefined ? undefined : `${source.file} ${nameOf(object.task_id)} ${number}`),
    scenario: nameOf(object.task_id) ?? undefined,
    caseId: 'task',
    repeat: number !== undefined && Number.isInteger(number) ? number + 1 : undefined,
    variant: variantIn(object, head),
    verdict,
    durationMs: msOfSeconds(object.duration) ?? collector.durationMs,
    costUsd: amountOf(costUsd),
    metrics: verdict?.value === undefined ? {} : { reward: verdict.value },
  });
}

function isOfUsersTool(message: unknown): boolean {
  const { requestor, role, tool_calls: calls } = objectOf(message);
  return requestor === 'user' || (role === 'user' && Array.isArray(calls) && calls.length > 0);
}

/** A failed run has a reward of 0 beside its error, which says nothing about the agent. */
function verdictOf(object: JsonObject, isSimulation: boolean): RecordedVerdict | undefined {
  const error = errorText(objectOf(object.info).error) ?? errorText(object.error);
  if (error !== undefined) return { state: 'error', reason: `the run failed: ${error}` };
  const rewards = [object.reward, objectOf(object.reward_info).reward].filter((reward) => reward != null);
  // A simulation that was not evaluated has null here, and neither nothing nor an empty record.
  const isCut = isSimulation && object.reward_info === undefined;
  if ((isCut && rewards.length === 0) || (object.reward_info != null && objectOf(object.reward_info).reward == null))
    return { state: 'error', reason: 'the reward of a simulation is missing' };
  const verdict = agreedVerdict(rewards.map(verdictOfReward));
  const ended = nameOf(object.termination_reason);
  return verdict && ended !== undefined ? { ...verdict, reason: `${verdict.reason}; ended by ${ended}` } : verdict;
}

function variantIn(object: JsonObject, head: JsonObject): ImportedTrial['variant'] {
  const agentInfo = objectOf(objectOf(head.info).agent_info);
  return knownParts({
    agent: nameOf(object.agent) ?? nameOf(agentInfo.implementation) ?? nameOf(object.agent_strategy),
    model: nameOf(object.model) ?? nameOf(agentInfo.llm),
  });
}
