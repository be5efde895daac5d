import { describe, expect, it } from 'vitest';
import type { ToolHealthEntry, WorkflowMetric } from '../../domain/mcp-findings.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { summarizeRun } from '../../domain/run.ts';
import { openStore } from '../../keep/store/open-store.ts';
import { sectionLines } from '../../shared/blocks/draw-text.ts';
import { finishedTrial, runHeader } from '../../testing/samples.ts';
import { consoleReporter } from './console.ts';
import { junitReporter } from './junit.ts';
import { markdownReporter } from './markdown.ts';
import type { Reporter } from './reporter.ts';
import { mcpSection } from './sections/mcp.ts';

function entry(
  testName: string,
  state: ToolHealthEntry['state'],
  more: Partial<ToolHealthEntry> = {},
): ToolHealthEntry {
  const passed = state === 'pass';
  const score = passed ? 1 : 0;
  const times = { latency: 12.34, totalLatency: 12.34, retryCount: 0 };
  return {
    testName,
    toolName: 'add',
    kind: 'tool',
    state,
    passed,
    score,
    ...times,
    details: `${testName} said`,
    ...more,
  };
}

function metric(name: string, score: number): WorkflowMetric {
  return { metric: name, passed: score >= 0.8, score, details: `${name} said` };
}

const suite: Partial<TrialRecord> = {
  scenario: 'Health <x>',
  caseId: 'suite',
  variant: {},
  outcome: 'fail',
  toolHealth: [
    entry('adds', 'pass'),
    entry('adds | [more]', 'fail', { retryCount: 2, totalLatency: 300 }),
    entry('divides', 'error', { error: 'the server died' }),
  ],
};
const workflow: Partial<TrialRecord> = {
  scenario: 'Sum',
  caseId: 'workflow',
  variant: { model: 'a/b', description: 'terse' },
  outcome: 'pass',
  workflow: [metric('End-to-End Success', 1), metric('Tool Invocation Order', 1)],
  workflowScore: 1,
  judge: {
    state: 'skipped',
    mode: 'score',
    promptVersion: 'v',
    reason: 'gpt-4o is not available: no API key.',
    warnings: [],
    usage: { inputTokens: 0, outputTokens: 0 },
    costUsd: 0,
  },
};

function mcpLines(record: Parameters<typeof mcpSection>[0], color: boolean): string[] {
  const style = { color, width: Number.POSITIVE_INFINITY };
  return mcpSection(record).flatMap((section) => sectionLines(section, style).slice(1));
}

async function rendered(reporter: Reporter, ...records: readonly Partial<TrialRecord>[]): Promise<string> {
  await using store = await openStore('sqlite::memory:', '.');
  const [sample] = runHeader('r-1').scenarios;
  const scenarios = records.map(({ scenario = '' }) => ({ ...sample, name: scenario, serverPart: 'tool' as const }));
  const header = runHeader('r-1', {
    scenarios: scenarios as never,
    planned: records.length,
    status: 'finished',
    finishedAt: 1,
  });
  await store.createRun(header);
  await store.saveTrials(
    records.map((record, ordinal) => {
      const { trace, record: plain } = finishedTrial('r-1', ordinal);
      return { trace, record: { ...plain, ...record } };
    }),
  );
  const summary = summarizeRun(header, await store.countTrials('r-1'), 2);
  let text = '';
  for await (const piece of reporter.render({ store, summary }, { color: false })) text += piece;
  return text;
}

describe('the console report', () => {
  it('lists the tests of a suite with their times, and says what is wrong with those that did not pass', async () => {
    const text = await rendered(consoleReporter, suite);
    expect(text).toContain(
      [
        '  Tool health: Health <x>',
        '    1 of 3 tests passed, 12 ms on average',
        '    ✓ adds: add, 12 ms',
        '    ✗ adds | [more]: add, 12 ms (2 retries, 300 ms in all)',
        '        adds | [more] said',
        '    ! divides: add, 12 ms',
        '        divides said',
      ].join('\n'),
    );
  });

  it('lists the figures of a workflow, and why the judge did not run', async () => {
    const text = await rendered(consoleReporter, workflow);
    expect(text).toContain(
      [
        '  Workflow: Sum (a/b, wording terse)',
        '    score 1.00',
        '    ✓ End-to-End Success: 1.00',
        '        End-to-End Success said',
        '    ✓ Tool Invocation Order: 1.00',
        '        Tool Invocation Order said',
        '    - LLM Judge: not judged: gpt-4o is not available: no API key.',
      ].join('\n'),
    );
  });

  it('lists the tests of a suite once, with counts over its repeats', async () => {
    const repeat = (number: number, state: ToolHealthEntry['state'], latency: number): Partial<TrialRecord> => ({
      ...suite,
      repeat: number,
      toolHealth: [
        entry('adds', 'pass', { latency }),
        entry('divides', state, { latency: null, details: 'no answer' }),
      ],
    });
    const text = await rendered(consoleReporter, repeat(1, 'pass', 10), repeat(2, 'error', 20), repeat(3, 'fail', 30));
    expect(text.match(/Tool health/g)).toHaveLength(1);
    expect(text).toContain(
      [
        '  Tool health: Health <x>',
        '    4 of 6 tests in 3 repeats passed, 20 ms on average',
        '    ✓ adds: add, 3 of 3, 20 ms on average, at most 30 ms',
        '    ✗ divides: add, 1 of 3, not measured',
        '        no answer (×2)',
      ].join('\n'),
    );
  });

  it('lists the figures of a workflow once, and counts what could not be judged as neither', async () => {
    const repeat = (number: number, metrics: readonly WorkflowMetric[], score: number): Partial<TrialRecord> => ({
      ...workflow,
      repeat: number,
      workflow: [...metrics],
      workflowScore: score,
    });
    const details = 'as expected';
    const success = (score: number) => ({ ...metric('Success', score), details });
    const order = { ...metric('Order', 1), details };
    const lost = { ...order, passed: false, score: 0, state: 'error' as const };
    const text = await rendered(
      consoleReporter,
      repeat(1, [success(1), order], 1),
      repeat(2, [success(0.5), lost], 0.5),
    );
    expect(text).toContain(
      [
        '  Workflow: Sum (a/b, wording terse)',
        '    score 0.75 on average of 2 repeats',
        '    ✗ Success: 0.75 on average, 1 of 2 passed',
        '        as expected (×2)',
        '    ! Order: 1.00 on average, 1 of 2 passed',
        '        as expected (×2)',
        '    - LLM Judge: not judged: gpt-4o is not available: no API key. (×2)',
      ].join('\n'),
    );
  });

  it('colours scores green from 0.8 on and yellow from 0.6 on', () => {
    const colorOf = (score: number): string | undefined => {
      const [line = ''] = mcpLines(
        { toolHealth: [], workflow: [metric('m', score)], workflowScore: score, judge: null },
        true,
      );
      return /\u001B\[(\d+)m/.exec(line)?.[1];
    };
    expect([0, 0.59, 0.6, 0.79, 0.8, 1].map(colorOf)).toEqual(['31', '31', '33', '33', '32', '32']);
  });

  it('lists of a long suite only what did not pass', () => {
    const entries = Array.from({ length: 60 }, (_, index) => entry(`t${index}`, index === 7 ? 'fail' : 'pass'));
    expect(mcpLines({ toolHealth: entries, workflow: [], workflowScore: null, judge: null }, false)).toEqual([
      '  59 of 60 tests passed, 12 ms on average',
      '  ✗ t7: add, 12 ms',
      '      t7 said',
      '  … and 59 tests that passed',
    ]);
  });

  it('keeps what a server says from steering the terminal', () => {
    const hostile = entry('a\u001B[2Jb', 'fail', { details: 'x\u0007\ny' });
    expect(
      mcpLines({ toolHealth: [hostile], workflow: [], workflowScore: null, judge: null }, false).join('\n'),
    ).not.toMatch(/[\u0000-\u0009\u000B-\u001F]/);
  });
});

describe('the Markdown report', () => {
  it('has a list for each suite and each workflow', async () => {
    const text = await rendered(markdownReporter, suite, workflow);
    expect(text).toContain('### Tool health: Health \\<x\\>\n\n1 of 3 tests passed, 12 ms on average\n');
    expect(text).toContain(
      '- ✗ adds \\| \\[more\\]: add, 12 ms (2 retries, 300 ms in all)\n  - adds \\| \\[more\\] said\n',
    );
    expect(text).toContain('- ! divides: add, 12 ms\n  - divides said\n');
    expect(text).toContain('### Workflow: Sum (a/b, wording terse)\n\nscore 1.00\n');
    expect(text).toContain('- - LLM Judge: not judged: gpt-4o is not available: no API key.');
  });
});

describe('the JUnit report', () => {
  it('has a case for each test and each figure, counted as they are listed', async () => {
    const text = await rendered(junitReporter, suite, workflow);
    expect(text).toMatch(/<testsuites name="assay r-1" tests="5" failures="1" errors="1" /);
    expect(text).toMatch(/<testsuite name="Health &lt;x&gt;" tests="3" failures="1" errors="1" /);
    expect(text).toMatch(/<testsuite name="Sum" tests="2" failures="0" errors="0" /);
    expect(text.match(/<testcase /g)).toHaveLength(5);
    expect(text).toContain('<testcase name="Health &lt;x&gt; › adds" classname="sample.yaml" time="0.012"/>');
    expect(text).toContain('<error message="divides said" type="NotJudged">tool: add\nthe server died\ntrial ');
  });

  it('has its own case for what is not the fault of a test', async () => {
    const fault = { code: 'MCP_TOOLS_CHANGED', blame: 'target', message: 'changed', hint: 'h' } as const;
    const passed = [entry('adds', 'pass')];
    const text = await rendered(junitReporter, {
      ...suite,
      toolHealth: passed,
      outcome: 'error',
      reason: 'changed',
      fault,
    });
    expect(text).toMatch(/<testsuites name="assay r-1" tests="2" failures="0" errors="1" /);
    expect(text).toContain('<error message="changed" type="MCP_TOOLS_CHANGED">');
  });
});
