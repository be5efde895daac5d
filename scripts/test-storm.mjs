import { setTimeout as wait } from 'node:timers/promises';
import { findPostgres } from './find-postgres.mjs';
import { startPostgres } from './start-postgres.mjs';
import { build, install } from './steps.mjs';

const bin = findPostgres();
if (bin === undefined) {
  console.error('There is no Postgres server here: install one (Debian: postgresql), or set ASSAY_POSTGRES_BIN.');
  process.exit(1);
}
install();
build();
const { storms } = await import('../test/storm/index.mjs');
const { Account } = await import('../test/storm/account.mjs');
const { Fleet } = await import('../test/storm/fleet.mjs');
const { Hosts } = await import('../test/storm/hosts.mjs');
const { Stage } = await import('../test/storm/stage.mjs');

const seed = Number(process.env.ASSAY_STORM_SEED ?? Date.now() % 1_000_000);
const wanted = process.argv.slice(2);
const deadlineMs = 600_000;
const account = new Account();
const server = await startPostgres(bin, ['listen_addresses=*', 'max_connections=300']);
const hosts = Hosts.open(server);
await server.stop();
await server.start();
console.log(`Seed ${seed}; workers ${hosts.isNetwork ? 'in network namespaces' : 'as processes of one machine'}.`);
try {
  for (const [name, storm] of Object.entries(storms)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\n${name}: ${storm.title}`);
    const stage = await Stage.make(server, hosts, storm.stage);
    const fleet = new Fleet(stage);
    const began = performance.now();
    try {
      const isOver = storm.run({ stage, fleet, account, seed }).then(() => true);
      const hasEnded = await Promise.race([isOver, wait(deadlineMs, false, { ref: false })]);
      if (!hasEnded) {
        account.promise('it ends in time', false, `${await stage.stored()} of ${storm.stage.trials} results`);
        account.said(fleet.said.slice(-6_000));
      }
    } finally {
      fleet.killAll();
      stage.close();
    }
    account.seen('took', `${((performance.now() - began) / 1_000).toFixed(1)} s`);
  }
} finally {
  hosts.close();
  await server[Symbol.asyncDispose]();
}
console.log(account.isKept ? '\nAll promises were kept.' : '\nA promise was broken.');
// A storm that did not end would go on.
process.exit(account.isKept ? 0 : 1);
