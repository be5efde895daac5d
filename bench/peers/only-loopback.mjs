import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { isIP, Socket } from 'node:net';

// Loaded into peers: whatever they would like to report or look up, nothing leaves this machine.
const isLoopback = (host) => host === 'localhost' || host === '::1' || /^127\./.test(host);
const refusal = (host) => Object.assign(new Error(`${host} is not on this machine`), { code: 'ECONNREFUSED' });

const { connect } = Socket.prototype;
Socket.prototype.connect = function connectWithin(...given) {
  // Node hands over the list that it has made of the arguments, or the arguments themselves.
  const [first, second] = Array.isArray(given[0]) ? given[0] : given;
  const options = typeof first === 'object' && first !== null ? first : { port: first, host: second };
  const host = typeof options.host === 'string' ? options.host : 'localhost';
  if (options.path || isLoopback(host)) return connect.apply(this, given);
  process.nextTick(() => this.destroy(refusal(host)));
  return this;
};

const { lookup } = dns;
dns.lookup = (host, options, done = options) => {
  if (isIP(host) || isLoopback(host)) return lookup(host, options, done);
  process.nextTick(done, refusal(host));
};
syncBuiltinESMExports();
