import { setTimeout as wait } from 'node:timers/promises';
import { holdAgainstPromises } from './account.mjs';

export const olderWorker = {
  title: 'a worker of an older version is the only one at first',
  stage: { trials: 100, shortestMs: 10, longestMs: 100 },
  async run({ stage, fleet, account }) {
    const run = stage.run();
    const old = fleet.start({ args: ['--protocol', '0'] });
    while (!old.said.includes('Not taken') || !run.printed.stderr.includes('no worker can run them')) await wait(50);
    const list = await stage.start(['workers']).end;
    fleet.start();
    const ended = await run.end;
    await fleet.end();
    await holdAgainstPromises(account, { stage, fleet, ended });
    const byOld = (await stage.writes()).filter(({ writer }) => writer === old.name).length;
    account.promise('the old worker took none', byOld === 0, `${byOld} results`);
    const says = [old.said, run.printed.stderr, list.stdout].map((text) =>
      /protocol 1 \(update Assay there\)/.test(text),
    );
    account.promise('worker, coordinator and `assay queue list` say so', says.every(Boolean), says.join(', '));
  },
};
