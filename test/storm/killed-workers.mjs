import { setTimeout as wait } from 'node:timers/promises';
import { holdAgainstPromises } from './account.mjs';
import { randomFrom } from './random.mjs';

const workers = 6;
const kinds = ['kill', 'stall', 'kill', 'stall', 'kill', 'cut off'];
const blows = 48;
const leaseMs = 1_000;

export const killedWorkers = {
  title: `${blows} times, a worker is killed, stalled past its lease, or cut off from the network`,
  stage: { trials: 1_000, shortestMs: 100, longestMs: 500 },
  async run({ stage, fleet, account, seed }) {
    const random = randomFrom(seed);
    const run = stage.run();
    for (let index = 0; index < workers; index++) fleet.start();
    const struck = { kill: 0, stall: 0, 'cut off': 0 };
    for (let blow = 1; blow <= blows; blow++) {
      await stage.untilStored(Math.floor((blow * stage.trials * 0.97) / blows));
      await wait(random() * 200);
      const worker = await oneOf(fleet, random);
      const kind =
        worker.host.canBeCutOff || kinds[blow % kinds.length] !== 'cut off' ? kinds[blow % kinds.length] : 'stall';
      strike(fleet, worker, kind, leaseMs * (1.8 + 2 * random()));
      struck[kind]++;
    }
    const ended = await run.end;
    await fleet.end();
    account.seen(
      'struck',
      Object.entries(struck)
        .map(([kind, count]) => `${kind} ${count} x`)
        .join(', '),
    );
    await holdAgainstPromises(account, { stage, fleet, ended });
    const refused = fleet.count('Refused as too late');
    account.promise('late results were refused, and that was said', refused > 0, `${refused} times`);
  },
};

/** One that works and does not hang anyway; two others are left. */
async function oneOf(fleet, random) {
  while (fleet.free.length < 3) await wait(20);
  return fleet.free[Math.floor(random() * fleet.free.length)];
}

function strike(fleet, worker, kind, ms) {
  if (kind === 'stall') fleet.stall(worker, ms);
  if (kind === 'cut off') fleet.cutOff(worker, ms);
  if (kind !== 'kill') return;
  fleet.kill(worker);
  fleet.start();
}
