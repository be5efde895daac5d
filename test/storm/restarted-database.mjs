import { holdAgainstPromises } from './account.mjs';

export const restartedDatabase = {
  title: 'Postgres is stopped in the middle of a run, once in order and once as in a crash',
  stage: { trials: 400, shortestMs: 20, longestMs: 200 },
  async run({ stage, fleet, account }) {
    const run = stage.run();
    for (let index = 0; index < 4; index++) fleet.start({ leaseSecs: 2 });
    for (const [step, mode] of ['fast', 'immediate'].entries()) {
      await stage.untilStored(100 * (step + 1));
      await stage.server.stop(mode);
      await stage.server.start();
    }
    const ended = await run.end;
    const survivors = fleet.free.length;
    await fleet.end();
    account.promise('all workers live on', survivors === 4, `${survivors} of 4`);
    await holdAgainstPromises(account, { stage, fleet, ended });
  },
};
