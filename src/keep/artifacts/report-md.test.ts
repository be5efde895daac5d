import { describe, expect, it } from 'vitest';
import { sampleInteraction, sampleRecord, sampleTrace, sampleTrial } from '../../testing/fakes/keep/sample-trial.ts';
import { reportMd } from './report-md.ts';
import { trialFacts } from './trial-facts.ts';

const facts = trialFacts(sampleTrial(), sampleTrace, 'notes 1.2.0');

describe('reportMd', () => {
  const page = reportMd({ facts, trace: sampleTrace, record: sampleRecord() });
  const lines = page.split('\n');

  it('has its sections in their order', () => {
    expect(lines.filter((line) => line.startsWith('## '))).toEqual([
      '## Scenario',
      '## Execution',
      '## Evaluation Metrics',
      '## Efficiency',
    ]);
  });

  it('shows how it was run', () => {
    expect(lines).toContain('- ✓ `notes init` (exit 0, 20 ms)');
    expect(lines).toContain('- **Token Usage**: 1,500 in, 42 out');
    expect(lines).toContain('- **Isolation**: bubblewrap');
    expect(lines).toContain('- **Target Version**: notes 1.2.0');
    expect(lines).toContain('- **Outcome**: Fail: 2/3 gates passed');
    expect(page).toContain('```text\nCreate a note\nabout cats\n```');
  });

  it('marks each gate', () => {
    expect(lines).toContain('- ✓ `CommandSucceeds`: exit code 0');
    expect(lines).toContain('- ✗ `FileExists`: notes.db is not there');
  });

  it('marks setup that failed', () => {
    const script = { type: 'script', at: 1, seenBy: 'engine', phase: 'setup', durationMs: 5, signal: null } as const;
    const failed = { ...script, command: 'notes `init`', exitCode: 3, timedOut: false, stdout: null, stderr: null };
    const report = reportMd({ facts, trace: [failed], record: sampleRecord({ interaction: null }) });
    expect(report).toContain('- ✗ `` notes `init` `` (exit 3, 5 ms)');
    expect(report).toContain('## Efficiency\n\nNot measured.');
  });

  it('says where sources disagree and what bypassed the recorder', () => {
    const interaction = {
      ...sampleInteraction,
      subcommands: { add: sampleInteraction },
      unrecorded: ['./notes add x'],
      disagreements: [
        { source: 'agent-events', total_commands: 5, error_count: 1, message: '5 instead of 4' } as const,
      ],
    };
    const report = reportMd({ facts, trace: [], record: sampleRecord({ interaction }) });
    expect(report).toContain('| add | 4 | 1 | 1 | 50 % |');
    expect(report).toContain('- 5 instead of 4');
    expect(report).toContain('- `./notes add x`');
  });
});
