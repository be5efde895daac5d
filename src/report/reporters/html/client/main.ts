import { App, readPage } from './app.ts';

new App(readPage()).start();
