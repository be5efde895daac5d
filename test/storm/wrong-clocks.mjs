import { holdAgainstPromises } from './account.mjs';

const hourMs = 3_600_000;

export const wrongClocks = {
  title: 'clocks of workers are hours ahead and behind; one of them is killed',
  stage: { trials: 300, shortestMs: 20, longestMs: 200 },
  async run({ stage, fleet, account }) {
    const run = stage.run();
    const shifts = [-26 * hourMs, -hourMs, 0, 3 * hourMs, 400 * hourMs];
    const workers = shifts.map((clockShiftMs) => fleet.start({ clockShiftMs, leaseSecs: 4 }));
    await stage.untilStored(100);
    fleet.kill(workers[3]);
    const ended = await run.end;
    await fleet.end();
    await holdAgainstPromises(account, { stage, fleet, ended });
    const took = new Set((await stage.writes()).map(({ writer }) => writer));
    account.promise('workers with wrong clocks did their share', took.size === shifts.length, `${took.size} workers`);
    const refused = fleet.count('Refused as too late');
    account.promise('nobody lost a lease over a clock', refused === 0, `${refused} refused`);
  },
};
