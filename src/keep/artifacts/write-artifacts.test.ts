import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../domain/trace.ts';
import { appendLine } from '../../shared/redacted-files.ts';
import { redactionOf, redactionWithPatterns } from '../../shared/redaction/redaction.ts';
import { secretForms } from '../../shared/redaction/secret-forms.ts';
import { sampleRecord, sampleTrace, sampleTrial } from '../../testing/fakes/keep/sample-trial.ts';
import { type ArtifactsInput, writeArtifacts } from './write-artifacts.ts';

const secret = 'zX9-known/secret "value"';
const redact = redactionWithPatterns([secret]);
let results: string;

beforeEach(async () => {
  results = await mkdtemp(join(tmpdir(), 'assay-artifacts-'));
});

afterEach(async () => {
  await rm(results, { recursive: true, force: true });
});

function inputOf(overrides: Partial<ArtifactsInput> = {}): ArtifactsInput {
  const folder = join(results, 'trial-1');
  return { trial: sampleTrial(), trace: sampleTrace, record: sampleRecord(), folder, redact, ...overrides };
}

const textOf = (name: string): Promise<string> => readFile(join(results, name), 'utf8');

async function allTexts(): Promise<string> {
  const names = await readdir(results, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  return (await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')))).join('\n');
}

describe('writeArtifacts', () => {
  it('writes every file and nothing else', async () => {
    await writeArtifacts(inputOf());
    expect((await readdir(join(results, 'trial-1'))).sort()).toEqual([
      'evaluation.md',
      'events.jsonl',
      'metrics.json',
      'report.md',
      'run.json',
      'transcript.human.txt',
      'transcript.raw.txt',
    ]);
    expect(JSON.parse(await textOf('trial-1/run.json'))).toMatchObject({
      scenario_id: 'create-note',
      tool: 'codex',
      model: 'openai/gpt-5',
      timestamp: '2026-11-15T09:30:12.250Z',
      duration_secs: 12.345,
      token_usage: { input: 1_500, output: 42 },
    });
  });

  it('adds the trial to the list of results', async () => {
    await writeArtifacts(inputOf());
    await writeArtifacts(inputOf({ folder: join(results, 'trial-2') }));
    const lines = (await textOf('results.jsonl')).trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({
      id: 'run-20261115-093012-250-t-abc-1',
      scenario_id: 'create-note',
      gates_passed: false,
      metrics: { gates_passed: 2, gates_total: 3 },
      judge_score: null,
      outcome: 'Fail: 2/3 gates passed',
      transcript_path: 'trial-2/transcript.raw.txt',
    });
  });

  it('leaves a transcript alone that is there, and writes what the trace knows otherwise', async () => {
    await writeArtifacts(inputOf());
    expect(await textOf('trial-1/transcript.raw.txt')).toContain('notes add cats\nno store\nExit code: 2\n');
    await writeFile(join(results, 'trial-1/transcript.raw.txt'), 'as printed');
    await writeArtifacts(inputOf());
    expect(await textOf('trial-1/transcript.raw.txt')).toBe('as printed');
  });

  const forms = secretForms(secret);
  it(`lets no known value into any file: ${forms.length} forms in every text of trace and record`, async () => {
    const printed = forms.join(' | ');
    const event = { at: 1, seenBy: 'agent' } as const;
    const trace: TraceEvent[] = [
      ...sampleTrace,
      { type: 'message', ...event, role: 'assistant', text: printed },
      {
        type: 'tool-call',
        ...event,
        callId: 'x',
        tool: printed,
        input: { [secret]: secret },
        shellCommand: `echo ${printed}`,
      },
      { type: 'tool-result', ...event, callId: 'x', durationMs: 1, result: { deep: [secret] }, exitCode: 1 },
      { type: 'file-change', ...event, path: secret, change: 'created', bytes: 1, diff: `+${secret}` },
      { type: 'notice', ...event, message: printed },
    ];
    const record = sampleRecord({
      reason: printed,
      gates: [{ gate_type: 'script', passed: false, message: printed, detail: { [secret]: printed } }],
      scripts: [{ name: printed, summary: printed, metrics: { [secret]: secret } }],
    });
    await writeArtifacts(inputOf({ trace, record, targetVersion: printed }));
    const text = await allTexts();
    expect(forms.filter((form) => text.includes(form))).toEqual([]);
    expect(text.replaceAll('\\', '')).not.toContain('zX9-known');
  });

  it('does not put a secret together again that had a colour in its middle', async () => {
    const text = `key zX9-known/\u001B[1m\u001B[31msecret\u001B[0m "value" end`;
    await writeArtifacts(inputOf({ trace: [{ type: 'message', at: 1, seenBy: 'agent', role: 'assistant', text }] }));
    expect(await textOf('trial-1/transcript.human.txt')).toContain('key [redacted] end');
  });

  it('takes out unknown secrets everywhere, and people only where pages are passed around', async () => {
    const text = 'TOKEN=a1b2c3d4e5f6g7 in /home/jane/x';
    await writeArtifacts(
      inputOf({ record: sampleRecord({ gates: [{ gate_type: 'script', passed: false, message: text }] }) }),
    );
    expect(await allTexts()).not.toContain('a1b2c3d4e5f6g7');
    expect(await textOf('trial-1/evaluation.md')).not.toContain('jane');
    expect(await textOf('trial-1/report.md')).not.toContain('jane');
    expect(await textOf('trial-1/metrics.json')).toContain('/home/jane/x');
  });

  it('replaces a link that the agent left behind and does not follow it', async () => {
    const outside = join(results, 'outside.txt');
    await writeFile(outside, 'untouched');
    await writeArtifacts(inputOf());
    await rm(join(results, 'trial-1/metrics.json'));
    await symlink(outside, join(results, 'trial-1/metrics.json'));
    await writeArtifacts(inputOf());
    expect(await readFile(outside, 'utf8')).toBe('untouched');
    expect(JSON.parse(await textOf('trial-1/metrics.json'))).toHaveProperty('gates_total', 3);
  });

  it('says which folder could not be written', async () => {
    await writeFile(join(results, 'file'), '');
    await expect(writeArtifacts(inputOf({ folder: join(results, 'file/trial') }))).rejects.toMatchObject({
      code: 'WORKSPACE_FAILED',
      message: expect.stringContaining('file/trial'),
    });
  });

  it('writes a list of results that a hundred trials write to at once', async () => {
    const message = 'm'.repeat(20_000);
    const record = sampleRecord({ gates: [{ gate_type: 'script', passed: false, message }] });
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        writeArtifacts(inputOf({ record, folder: join(results, `t-${index}`) })),
      ),
    );
    const lines = (await textOf('results.jsonl')).trimEnd().split('\n');
    const paths = new Set(lines.map((line) => (JSON.parse(line) as { transcript_path: string }).transcript_path));
    expect(paths.size).toBe(100);
  });
});

describe('appendLine', () => {
  it('ends a line that a crash cut short', async () => {
    const file = join(results, 'list.jsonl');
    await writeFile(file, '{"a":1}\n{"b":');
    await appendLine(file, redactionOf([])('{"c":3}'));
    expect(await readFile(file, 'utf8')).toBe('{"a":1}\n{"b":\n{"c":3}\n');
  });

  it('does not follow a link', async () => {
    await writeFile(join(results, 'other'), '');
    await symlink(join(results, 'other'), join(results, 'list.jsonl'));
    await expect(appendLine(join(results, 'list.jsonl'), redactionOf([])('x'))).rejects.toThrow();
    expect(await readFile(join(results, 'other'), 'utf8')).toBe('');
  });
});
