import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { median, program, startServer, streamingModel, withFolder } from './measure.mjs';

const bareProxy = fileURLToPath(new URL('./bare-proxy.mjs', import.meta.url));
const agent = new Agent({ keepAlive: true, maxSockets: 200 });
const rounds = 300;
const streams = 100;
const eventsPerSecond = 25;
const seconds = 6;

/** Overhead of the gateway to the first byte, its share of a core under many streams, and its memory. */
export async function gateway() {
  return withFolder({}, async (cwd) => {
    const upstream = await startServer([streamingModel], cwd);
    const bare = await startServer([bareProxy, upstream.url], cwd);
    const proxy = await startServer(
      [program, 'gateway', '--upstream', `${upstream.url}/v1`, '--api', 'openai-chat'],
      cwd,
    );
    try {
      return await measure(upstream, bare, proxy);
    } finally {
      for (const { end } of [proxy, bare, upstream]) await end();
      agent.destroy();
    }
  });
}

async function measure(upstream, bare, proxy) {
  const addresses = { direct: `${upstream.url}/v1`, proxied: proxy.url };
  const firstByte = await firstByteTimes(addresses);
  const bareLoad = await loadOf(bare, `${bare.url}/v1`);
  const { cpuShare, peakMb } = await loadOf(proxy, addresses.proxied);
  const overhead = median(firstByte.differences);
  return [
    {
      what: 'gateway, added to the first byte',
      measured: `${overhead.toFixed(2)} ms (direct ${median(firstByte.direct).toFixed(2)} ms, ratio ${(median(firstByte.proxied) / median(firstByte.direct)).toFixed(1)})`,
      target: 'at most 3 ms',
      isMet: overhead <= 3,
    },
    {
      what: `  ${streams} streams of ${eventsPerSecond} events/s, share of a core`,
      measured: `${(cpuShare * 100).toFixed(1)} % (bare Node.js proxy ${(bareLoad.cpuShare * 100).toFixed(1)} %)`,
      target: 'at most 10 %',
      isMet: cpuShare <= 0.1,
    },
    {
      what: `  memory of its process with ${streams} streams`,
      measured: `${peakMb.toFixed(0)} MB`,
      target: 'at most 300 MB',
      isMet: peakMb <= 300,
    },
  ];
}

/** In turns, so a busy moment of the machine hits both. */
async function firstByteTimes({ direct, proxied }) {
  const times = { direct: [], proxied: [], differences: [] };
  for (let round = 0; round < rounds + 20; round++) {
    const a = await stream(direct, 1, 0);
    const b = await stream(proxied, 1, 0);
    if (round < 20) continue;
    times.direct.push(a);
    times.proxied.push(b);
    times.differences.push(b - a);
  }
  return times;
}

async function loadOf({ pid }, url) {
  const everyMs = 1_000 / eventsPerSecond;
  const open = Array.from({ length: streams }, () => stream(url, seconds * eventsPerSecond, everyMs));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const [beganMs, beganTicks] = [performance.now(), cpuTicks(pid)];
  await new Promise((resolve) => setTimeout(resolve, (seconds - 2) * 1_000));
  const cpuShare = ((cpuTicks(pid) - beganTicks) * 10) / (performance.now() - beganMs);
  const peakMb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
  await Promise.all(open);
  return { cpuShare, peakMb };
}

/** Ticks of ten milliseconds that a process has used. */
function cpuTicks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Reads a stream to its end; gives the milliseconds to its first byte. */
function stream(url, events, everyMs) {
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x'.repeat(20_000) }] });
  return new Promise((resolve, reject) => {
    const beganMs = performance.now();
    let firstMs;
    const path = `${url}/chat/completions?events=${events}&everyMs=${everyMs}`;
    const sent = request(path, { method: 'POST', agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`HTTP ${response.statusCode}`));
      response.on('data', () => {
        firstMs ??= performance.now() - beganMs;
      });
      response.on('end', () => resolve(firstMs));
      response.on('error', reject);
    });
    sent.on('error', reject).end(body);
  });
}
