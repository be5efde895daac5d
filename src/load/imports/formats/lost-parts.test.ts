import { describe, expect, it } from 'vitest';
import { costsInTrace } from '../../../domain/costs.ts';
import { gapsIn } from '../../../domain/trace-coverage/coverage.ts';
import { importCorpus } from '../../../testing/fakes/load/import-corpus.ts';
import type { ImportedRun } from '../../../testing/fakes/load/imported-run.ts';

type Edit = (text: string) => string;
/** Any value of the document, which an edit changes. */
// biome-ignore lint/suspicious/noExplicitAny: documents of many programs
type Json = any;

/** A recorded document, edited. */
async function imported(name: string, edit: Edit): Promise<ImportedRun> {
  const document = importCorpus.find((each) => each.name.startsWith(name));
  if (!document) throw new Error(`unknown document ${name}`);
  const text = edit(document.text);
  if (text === document.text) throw new Error(`the edit does not change ${name}`);
  return document.read(text);
}

const inJson =
  (change: (document: Json) => void): Edit =>
  (text) => {
    const document = JSON.parse(text);
    change(document);
    return JSON.stringify(document);
  };

const inLine =
  (number: number, change: (line: Json) => void): Edit =>
  (text) =>
    text.replace(/.+/g, (line, at: number) => {
      const isWanted = text.slice(0, at).split('\n').length === number;
      return isWanted ? inJson(change)(line) : line;
    });

describe('a message that is lost of a conversation', () => {
  it('leaves no end of an answer certain', async () => {
    const { trials } = await imported(
      'anthropic.json',
      inJson(({ messages }) => messages.splice(0, 2, messages[1], messages[0])),
    );
    const trace = trials[0]?.trace ?? [];
    const ends = [...trace.entries()].flatMap(([index, { type }]) => (type === 'turn' ? [index] : []));
    expect(ends).toHaveLength(2);
    expect(ends.map((end) => gapsIn(trace.slice(0, end + 1), 'answers', 'answer').length)).toEqual([1, 1]);
  });
});

describe('a verdict that a file declares and does not show', () => {
  it.each<[string, Edit, number]>([
    ['deepeval.json', inJson(({ testCases }) => testCases[1].metricsData.pop()), 1],
    ['langsmith.jsonl', inLine(4, (run) => (run.feedback_stats = JSON.stringify(run.feedback_stats))), 1],
    ['openai-evals.jsonl', inLine(5, (event) => (event.type = 'match_2')), 1],
  ])('is an error in %s', async (name, edit, index) => {
    const { trials } = await imported(name, edit);
    expect(trials[index]?.record.outcome).toBe('error');
  });

  it('is a problem of a log of Inspect, which counts the samples without an error', async () => {
    const { problems } = await imported(
      'inspect.json',
      inJson(({ samples }) => delete samples[2].error),
    );
    expect(problems.list.map(({ message }) => message)).toContain(
      'the log reports 3 samples without an error, and has 4',
    );
  });

  it('is a problem of a table that ends after a comma', async () => {
    const { problems } = await imported('table.csv', (text) => text.slice(0, text.indexOf('yours",') + 7));
    expect(problems.problemCount).toBe(1);
  });
});

describe('a part of another type, or at another place', () => {
  const textOfSpan = (index: number, name: string, change: (attributes: Json[], at: number) => void): Edit =>
    inJson(({ resourceSpans }) => {
      const { attributes } = resourceSpans[0].scopeSpans[0].spans[index];
      change(
        attributes,
        attributes.findIndex(({ key }: Json) => key === name),
      );
    });
  const without = (attributes: Json[], at: number): void => void attributes.splice(at, 1);
  const delayed =
    (number: number): Edit =>
    (text) => {
      const lines = text.trimEnd().split('\n');
      return `${[...lines, ...lines.splice(number - 1, 1)].filter((line, at, all) => all.lastIndexOf(line) === at).join('\n')}\n`;
    };
  it.each<[string, Edit, 'answers' | 'usage' | 'tool-calls' | 'times']>([
    ['swe-agent.traj', inJson(({ trajectory }) => (trajectory[1].thought = 7)), 'answers'],
    ['langfuse.json', inJson(({ data }) => (data[2].output = 7)), 'answers'],
    ['rollout-', inLine(23, ({ payload }) => (payload.content = { items: payload.content })), 'answers'],
    ['rollout-', delayed(9), 'usage'],
    ['e336f771', (text) => text.slice(text.indexOf('\n') + 1), 'times'],
    ['claude-actions.jsonl', (text) => text.replace(/.+"tool_use_id":"call_000005_1".+\n/, ''), 'times'],
    ['mastra.json', textOfSpan(8, 'mastra.span.type', without), 'answers'],
    [
      'mastra.json',
      textOfSpan(8, 'mastra.model_step.input', (attributes, at) => {
        attributes[at].value.stringValue = '[{"role":';
      }),
      'usage',
    ],
    ['openai-agents.json', textOfSpan(0, 'openinference.span.kind', without), 'usage'],
    ['openinference-langgraph.json', textOfSpan(9, 'output.value', without), 'tool-calls'],
  ])('is a gap in %s (%#)', async (name, edit, channel) => {
    const { trials } = await imported(name, edit);
    expect(trials.map(({ trace }) => gapsIn(trace, channel).length > 0)).toContain(true);
  });

  it('is a problem where a log record of Claude Code has no name', async () => {
    const { problems } = await imported(
      'claude-code-logs.json',
      inJson(({ resourceLogs }) => delete resourceLogs[2].scopeLogs[0].logRecords[2].body),
    );
    expect(problems.list.map(({ message }) => message)).toContain('1 log record without its session or its span');
  });

  it('counts once where an event of a span is there twice', async () => {
    const double = inJson(({ resourceSpans }) => {
      const { events } = resourceSpans[0].scopeSpans[0].spans[3];
      events.splice(1, 0, events[1]);
    });
    const [whole, again] = [
      await imported('strands.json', (text) => `${text} `),
      await imported('strands.json', double),
    ];
    expect(again.trials.map(({ trace }) => trace)).toEqual(whole.trials.map(({ trace }) => trace));
  });
});

describe('a trial whose file shows no request to a model', () => {
  it.each<[string, Edit]>([
    ['promptfoo.json', inJson(({ results }) => delete results.results[2].prompt)],
    ['openai-evals-items.jsonl', inLine(2, (item) => delete item.sample)],
    ['tau.json', inJson((trials) => (trials[0].traj = {}))],
    ['run.json', inJson(({ trials }) => delete trials[0].trace)],
  ])('has an unknown cost in %s', async (name, edit) => {
    const { trials } = await imported(name, edit);
    expect(trials.map(({ trace }) => costsInTrace(trace).targetUsd)).toContain(null);
    expect(trials.map(({ trace }) => costsInTrace(trace).targetUsd)).not.toContain(0);
  });
});

describe('a trial that is missing although the file, or the one beside it, has it', () => {
  const alone = (lines: string): string => lines.replace(/.*django__django-2.*\n/, '');

  it.each<[string, Edit, string]>([
    ['tau2.json', inJson(({ simulations }) => simulations.pop()), 'the file reports 2 simulations, and has 1'],
    ['swe-bench.jsonl', alone, 'the report beside the file has 1 prediction that it has not'],
  ])('is a problem: %s', async (name, edit, message) => {
    const { problems } = await imported(name, edit);
    expect(problems.list.map((problem) => problem.message)).toContain(message);
  });
});
