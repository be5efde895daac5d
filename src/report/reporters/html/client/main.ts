import { App } from './app.ts';
import { readPage } from './page.ts';

new App(readPage()).start();
