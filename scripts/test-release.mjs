import { existsSync } from 'node:fs';
import { findOnPath } from './find-on-path.mjs';
import { step } from './steps.mjs';
import { installSystemPackages } from './system-packages.mjs';

/** `npm run test:release`: builds the release, and starts its executables where there is no Node.js. */
const foreign = process.arch === 'x64' ? 'aarch64' : 'x86_64';
const libraries = `/usr/${foreign}-linux-gnu`;
const debianName = { x86_64: 'amd64', aarch64: 'arm64' }[foreign];

if (!findOnPath('bwrap')) installSystemPackages(['bubblewrap']);
if (!findOnPath(`qemu-${foreign}-static`) || !existsSync(`${libraries}/lib/libstdc++.so.6`))
  installSystemPackages(['qemu-user-static', `libc6-${debianName}-cross`, `libstdc++6-${debianName}-cross`]);
const emulator = findOnPath(`qemu-${foreign}-static`, `qemu-${foreign}`);
if (!emulator) console.log(`Left out: the executable for ${foreign}. It needs qemu-user-static and libraries.`);
step(process.execPath, ['scripts/release.mjs']);
step(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.release.config.ts'], {
  env: { ...process.env, ASSAY_EMULATOR: emulator ? `${emulator} -L ${libraries}` : '' },
});
