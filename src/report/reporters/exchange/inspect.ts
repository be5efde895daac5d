import { AssayError } from '../../../domain/errors.ts';
import { marksOf } from '../../../domain/marks.ts';
import { type Message, messageText } from '../../../domain/message.ts';
import { messagesOf } from '../../../domain/messages-of-trace.ts';
import { totalTokensOf } from '../../../domain/usage.ts';
import { counted } from '../../../shared/format.ts';
import { parseJson } from '../../../shared/json.ts';
import { wellFormed } from '../../../shared/text.ts';
import type { Reporter, StoredRun } from '../reporter.ts';
import { inputText, type TrialContent, trialContents } from './trial-content.ts';

/** A log of Inspect; each trial is a sample, each repeat an epoch. */
export const inspectReporter: Reporter = {
  name: 'inspect',
  summary: 'an evaluation log of Inspect, for a run of one scenario with one variant',
  fileName: 'inspect.json',
  render: inspectOf,
};

async function* inspectOf(run: StoredRun): AsyncGenerator<string, void> {
  const { runId, startedAt, status } = run.summary.run;
  const { scenario, model, agent } = await onlyTask(run);
  const evaluation = {
    created: new Date(startedAt).toISOString(),
    task: scenario,
    task_id: runId,
    run_id: runId,
    model,
    ...(agent !== undefined && { solver: agent }),
    dataset: {},
    config: {},
  };
  const head = { version: 2, status: status === 'finished' ? 'success' : 'cancelled', eval: evaluation };
  yield `${JSON.stringify(head).slice(0, -1)},"samples":[`;
  let count = 0;
  for await (const content of trialContents(run)) {
    yield `${count++ === 0 ? '' : ','}\n${JSON.stringify(sampleOf(content, model))}`;
  }
  yield '\n]}\n';
}

/** A log has one task and one model, so a run of several would mix them. */
async function onlyTask({ store, summary }: StoredRun): Promise<{ scenario: string; model: string; agent?: string }> {
  const cells = await store.countByCell(summary.run.runId);
  const [first, ...others] = cells;
  if (!first) throw new AssayError('NOTHING_TO_RUN', `${summary.run.runId} has no stored trials.`);
  if (others.length > 0) {
    const found = cells.slice(0, 3).map(({ scenario, variant }) => [scenario, ...Object.values(variant)].join(' '));
    const message = `A log of Inspect has one task and one model, and the run has ${counted(cells.length, 'pair')} of them: ${found.join(', ')}.`;
    throw new AssayError('USAGE', message, { hint: 'Run one scenario with one variant, or use another format.' });
  }
  const { scenario, variant } = first;
  const agent = variant.agent ?? variant.connector;
  return { scenario, model: variant.model ?? 'none/none', ...(agent !== undefined && { agent }) };
}

const letters: Readonly<Record<string, string>> = { pass: 'C', fail: 'I' };

function sampleOf({ record, trace, input, output }: TrialContent, model: string): object {
  const { outcome, reason, usage, costUsd, durationMs, startedAt } = record;
  const letter = letters[outcome];
  const used = usage && {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    total_tokens: totalTokensOf(usage),
    ...(costUsd !== null && { total_cost: costUsd }),
  };
  return {
    id: record.caseId,
    epoch: record.repeat,
    input: inputText(input),
    target: '',
    messages: messagesOf(trace).map(messageOf),
    output: { model, choices: [{ message: { role: 'assistant', content: output }, stop_reason: 'stop' }] },
    scores: letter === undefined ? {} : { assay: { value: letter, answer: output, explanation: reason } },
    ...(outcome === 'error' && { error: { message: reason, traceback: '', traceback_ansi: '' } }),
    model_usage: used ? { [model]: used } : {},
    started_at: new Date(startedAt).toISOString(),
    ...(durationMs !== null && { total_time: durationMs / 1_000 }),
    metadata: { assay_trial: record.trialId, assay_marks: marksOf(record) },
  };
}

function messageOf(message: Message): object {
  const { role, tool_calls: calls = [], tool_call_id: callId } = message;
  const toolCalls = calls.map(({ id, function: { name, arguments: written } }) => ({
    id,
    function: name,
    arguments: parseJson(written) ?? {},
    type: 'function',
  }));
  return {
    role,
    content: wellFormed(messageText(message)),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    ...(callId !== undefined && { tool_call_id: callId }),
  };
}
