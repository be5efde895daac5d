import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

// Loaded into measured programs: leaves the largest memory they ever used where the bench finds it.
if (isMainThread) {
  process.on('exit', () => writeFileSync(process.env.ASSAY_BENCH_PEAK, String(process.resourceUsage().maxRSS)));
}
