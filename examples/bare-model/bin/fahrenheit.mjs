import { readFileSync } from 'node:fs';

const { celsius } = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify({ fahrenheit: celsius * 1.8 + 32 }));
