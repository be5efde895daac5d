import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { onlyTrial, runTool, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';

/** Prints without end, in the two ways in which programs notice that nobody reads; serves; or fails. */
const endlessTool = `#!/bin/sh
case "$1" in
  many) while :; do echo line; done ;;
  stubborn) trap '' PIPE; while echo line 2>/dev/null; do :; done; echo "write error: Broken pipe" >&2; exit 1 ;;
  serve) echo up > serving; while :; do sleep 0.05; done ;;
  *) echo "unknown command $1" >&2; exit 2 ;;
esac
`;

const gates = '[{ type: no_transcript_errors }, { type: file_exists, path: done }]';

async function runSteps(steps: readonly string[], isolation: string, more = '') {
  const script = JSON.stringify({ steps: [...steps, 'touch done'].map((run) => ({ run })) });
  const scenario = toolScenario(gates, more);
  const config = JSON.stringify({ agent: 'scripted', isolation, agents: { scripted: { script: 'script.yaml' } } });
  const files = { 'bin/my-tool': endlessTool, 'assay.config.yaml': config };
  const folder = await toolProject({ scenario, script, files });
  const trial = onlyTrial(await runTool(folder));
  const shown = await assay(['show', trial.trialId, '--json'], { cwd: folder });
  const trace = JSON.parse(shown.stdout).trace as { type: string; cutShortBy?: string }[];
  const text = await assay(['show', trial.trialId], { cwd: folder });
  const cutShortBy = trace.filter(({ type }) => type === 'command').map((event) => event.cutShortBy);
  return { trial, cutShortBy, text: text.stdout };
}

describe.each(['none', 'auto'])('with isolation %s', (isolation) => {
  it('does not count a command as failed whose reader had read enough', async () => {
    const { trial, cutShortBy, text } = await runSteps(
      ['my-tool many | head -1', 'my-tool stubborn | head -1'],
      isolation,
    );
    expect(cutShortBy).toEqual(['closed-pipe', 'closed-pipe']);
    expect(trial).toMatchObject({ outcome: 'pass', interaction: { error_count: 0, first_try_success_rate: 1 } });
    expect(text).toContain('its reader closed the pipe');
  });

  it('does not count a server as failed that Assay ended with the agent', async () => {
    const serve = 'my-tool serve & while [ ! -f serving ]; do sleep 0.01; done';
    const { trial, cutShortBy, text } = await runSteps([serve], isolation);
    expect(cutShortBy).toEqual(['end-of-trial']);
    expect(trial).toMatchObject({ outcome: 'pass', interaction: { error_count: 0, first_try_success_rate: 1 } });
    expect(text).toContain('Assay ended it');
  });

  it('counts a command as failed that fails before its reader has read enough', async () => {
    const { trial, cutShortBy } = await runSteps(['my-tool nope 2>&1 | head -1', 'my-tool nope | true'], isolation);
    expect(cutShortBy).toEqual([undefined, undefined]);
    expect(trial).toMatchObject({ outcome: 'fail', interaction: { error_count: 2, first_try_success_rate: 0 } });
  });
});

it('says neither that a command failed nor that it succeeded that was stopped with the agent', async () => {
  const { trial, cutShortBy } = await runSteps(['my-tool serve'], 'none', 'run: { timeout_secs: 5 }\n');
  expect(cutShortBy).toEqual(['stopped-trial']);
  expect(trial).toMatchObject({ interaction: { error_count: 0, first_try_success_rate: 0, completed: false } });
});
