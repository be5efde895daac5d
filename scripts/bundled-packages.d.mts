import type { Plugin } from 'vite';

export declare function bundledPackages(file: string, styles?: readonly string[]): Plugin;
