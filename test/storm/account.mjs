/** What a storm showed: one line for each promise, and whether it was kept. */
export class Account {
  isKept = true;

  promise(what, isKept, seen) {
    this.isKept &&= isKept;
    console.log(`  ${isKept ? '✓' : '✗'} ${what}${seen === undefined ? '' : `: ${seen}`}`);
  }

  seen(what, figure) {
    console.log(`    ${what}: ${figure}`);
  }

  /** A program that did not end as it should says why. */
  said(text) {
    console.log(text.trim().replace(/^/gm, '    | '));
  }
}

const differing = new Set(['runId', 'trialId', 'startedAt', 'durationMs', 'status']);

/** A report without what differs between two runs of the same thing. */
function comparable(stdout) {
  return JSON.stringify(JSON.parse(stdout, (key, value) => (differing.has(key) ? undefined : value)));
}

/** Holds a run and its results against what was promised of every run. */
export async function holdAgainstPromises(account, { stage, fleet, ended }) {
  const { trials } = stage;
  const local = await stage.localRun();
  const isEnded = ended.exitCode === local.exitCode;
  account.promise('it ends by itself as a local run does', isEnded, `exit code ${ended.exitCode}`);
  if (!isEnded) account.said(`${ended.stderr.slice(-2_000)}\n${fleet.said.slice(-4_000)}`);
  account.promise(
    'every trial has a result',
    (await stage.stored()) === trials,
    `${await stage.stored()} of ${trials}`,
  );
  const writes = await stage.writes();
  const different = new Set(writes.map(({ trial_id }) => trial_id)).size;
  account.promise('none was written twice', writes.length === different, `${writes.length - different} of ${trials}`);
  const foreign = writes.filter(({ writer, holder }) => !holder?.includes(`-${fleet.pidOf(writer)}-`));
  account.promise('each by the worker that had the lease', foreign.length === 0, `${foreign.length} by another`);
  const isEqual = isEnded && comparable(ended.stdout) === comparable(local.stdout);
  account.promise('the report is that of a local run', isEqual);
  const begun = [...stage.executions().values()].reduce((sum, count) => sum + count, 0);
  account.seen('trials begun', `${begun} (${begun - trials} again)`);
}
