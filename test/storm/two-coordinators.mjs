import { comparable, holdAgainstPromises } from './account.mjs';

export const twoCoordinators = {
  title: 'one run has three coordinators, of which the first is killed',
  stage: { trials: 400, shortestMs: 20, longestMs: 200 },
  async run({ stage, fleet, account }) {
    const first = stage.run();
    for (let index = 0; index < 3; index++) fleet.start({ leaseSecs: 2 });
    await stage.untilStored(20);
    const others = [stage.run(['--resume', 'latest']), stage.run(['--resume', 'latest'])];
    await stage.untilStored(120);
    first.child.kill('SIGKILL');
    const [ended, other] = await Promise.all(others.map(({ end }) => end));
    await fleet.end();
    await holdAgainstPromises(account, { stage, fleet, ended });
    const isEqual = other.exitCode === ended.exitCode && comparable(other.stdout) === comparable(ended.stdout);
    account.promise('both coordinators that are left report the same', isEqual);
  },
};
