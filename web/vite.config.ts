import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin, type UserConfig } from 'vite';
import { bundledPackages } from '../scripts/bundled-packages.mjs';

/** The parts of nearly every page: one file that loads before the page, instead of twenty after it. */
const drawnEverywhere =
  /\/web\/src\/kit\/(badge|button|classes|code|data-table|figures|page|scroll-box|small-table|text-input|use-|when-text)|node_modules\/(lucide-react|@tanstack\/(react-virtual|virtual-core))\//;

const root = fileURLToPath(new URL('.', import.meta.url));
const checkout = resolve(root, '..');

/** Where `assay serve` listens while pages are developed; with `ASSAY_SERVE_TOKEN` set for both. */
const server = process.env.ASSAY_SERVE_URL ?? 'http://127.0.0.1:7420';
const token = process.env.ASSAY_SERVE_TOKEN;

const outDir = resolve(checkout, process.env.ASSAY_BUILD_DIR ?? 'dist', 'web');

/** Every page, in files that are loaded when they are needed. */
const pages: UserConfig = {
  root,
  define: { isReport: 'false' },
  plugins: [react(), tailwindcss(), bundledPackages(resolve(outDir, '..', '.web-packages.json'), ['tailwindcss'])],
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2023',
    // Nothing is put into the page itself: its policy lets only files of this server run.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'kit', test: drawnEverywhere }] } } },
  },
  server: {
    proxy: {
      '/api': {
        target: server,
        changeOrigin: true,
        headers: token ? { authorization: `Bearer ${token}`, origin: server } : {},
      },
    },
  },
};

/** The package holds the program of reports as reports do. */
const compressed: Plugin = {
  name: 'compressed',
  closeBundle() {
    for (const name of ['report.js', 'report.css']) {
      const path = resolve(outDir, 'report', name);
      writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
      rmSync(path);
    }
  },
};

/** The pages that an HTML report has, as one script and one style sheet that are written into its page. */
const report: UserConfig = {
  root,
  plugins: [react(), tailwindcss(), compressed],
  resolve: { conditions: ['report', ...defaultClientConditions] },
  define: { isReport: 'true', 'process.env.NODE_ENV': '"production"' },
  build: {
    outDir: resolve(outDir, 'report'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    rolldownOptions: {
      input: resolve(root, 'src', 'report', 'main.tsx'),
      output: { entryFileNames: 'report.js', assetFileNames: 'report[extname]', codeSplitting: false },
    },
  },
};

export default defineConfig(({ mode }) => (mode === 'report' ? report : pages));
