import { parseArgs } from 'node:util';
import { findPostgres } from './find-postgres.mjs';
import { startPostgres } from './start-postgres.mjs';
import { build, install } from './steps.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '15' },
    operations: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    store: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
  },
});
install();
build();
const { databaseFaults, fileFaults } = await import('../test/soak/faults.mjs');
const { soak } = await import('../test/soak/soak.mjs');
const seed = Number(values.seed);
let isKept = true;

async function soakOn(store, storeUrl, faultsOf) {
  console.log(`\n${store}, ${values.minutes} minutes at most, --seed ${seed}`);
  try {
    const limits = { minutes: Number(values.minutes), most: Number(values.operations) };
    const { counts, ...figures } = await soak({ storeUrl, seed, faultsOf, ...limits });
    console.log(`  kept: ${JSON.stringify(figures)}\n  ${JSON.stringify(counts)}`);
  } catch (error) {
    isKept = false;
    console.log(`  BROKEN: ${error.stack}`);
  }
}

if (values.store.includes('sqlite')) {
  const file = ({ folder }) => `${folder}/.assay/assay.db`;
  await soakOn(
    'sqlite',
    (project) => `sqlite:${file(project)}`,
    (project) => fileFaults(file(project)),
  );
}
if (values.store.includes('postgres')) {
  const bin = findPostgres();
  if (bin === undefined) console.log('Left out: Postgres. There is none on PATH, and ASSAY_POSTGRES_BIN names none.');
  else {
    const server = await startPostgres(bin);
    await soakOn(
      'postgres',
      () => server.url(),
      () => databaseFaults(server),
    );
    await server[Symbol.asyncDispose]();
  }
}
// Operations that were cut off by a broken promise would go on.
process.exit(isKept ? 0 : 1);
