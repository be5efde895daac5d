import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));
const checkout = resolve(root, '..');

/** Where `assay serve` listens while pages are developed; with `ASSAY_SERVE_TOKEN` set for both. */
const server = process.env.ASSAY_SERVE_URL ?? 'http://127.0.0.1:7420';
const token = process.env.ASSAY_SERVE_TOKEN;

export default defineConfig({
  root,
  plugins: [react(), tailwindcss()],
  build: {
    outDir: resolve(checkout, process.env.ASSAY_BUILD_DIR ?? 'dist', 'web'),
    emptyOutDir: true,
    target: 'es2023',
    // Nothing is put into the page itself: its policy lets only files of this server run.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
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
});
