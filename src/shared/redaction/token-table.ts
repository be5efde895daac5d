/** A kind of token with a known prefix; the prefix stays, so a reader knows what it was. */
export interface TokenShape {
  readonly start: string;
  readonly rest: string;
}

const word = '[A-Za-z0-9]';
const webWord = '[A-Za-z0-9_-]';
const base64 = '[A-Za-z0-9+/=]';
const hex = '[0-9a-f]';
const anyHex = '[0-9A-Fa-f]';
const capital = '[A-Z0-9]';
/** Nothing of the same word follows. */
const end = '(?![A-Za-z0-9])';

/**
 * Kinds of tokens by a sign that each of them has, mostly the end of its prefix: a text without the sign holds none of them. Prefixes and lengths are
 * those that the makers of the tokens and the rules of gitleaks publish. Keys that are made to be public, such as `pk_live_`,
 * are not among them.
 */
export const shapesBySign: Readonly<Record<string, readonly TokenShape[]>> = {
  _: [
    { start: '[sr]k_(?:live|test|prod)_', rest: `${word}{10,}` },
    { start: 'sk_', rest: `${hex}{40,}` },
    { start: 'whsec_', rest: `${base64}{24,}` },
    { start: 'gh[pousr]_', rest: `${word}{20,}` },
    { start: 'github_pat_', rest: '[A-Za-z0-9_]{20,}' },
    { start: '(?:hf|api_org|gsk|npm|r8|ntn|figd|fw|jina|rubygems|sntry[su]|glsa|glc)_', rest: '[A-Za-z0-9_=+/-]{24,}' },
    {
      start: '(?:dckr_(?:pat|oat)|apify_api|pcsk|napi|nfp|tgp_v1|sb_secret|phx|rpa|pnu|fo1|duffel_(?:test|live))_',
      rest: '[A-Za-z0-9_=-]{20,}',
    },
    { start: 'fm(?:1[ar]|2)_', rest: `${base64}{40,}` },
    { start: '(?:pscale_(?:tkn|oauth|pw)|tfp)_', rest: '[A-Za-z0-9_=.-]{30,}' },
    { start: 'do[opr]_v1_', rest: `${hex}{64}` },
    { start: 'shp(?:at|ca|pa|ss|tka)_', rest: `${anyHex}{32}` },
    { start: 'shippo_(?:live|test)_', rest: `${anyHex}{40}` },
    { start: 'sgp_(?:(?:[0-9A-Fa-f]{16}|local)_)?', rest: `${anyHex}{40}` },
    { start: 'sm_(?:aat|pat|sat)_', rest: `${word}{16}` },
    { start: 'CLOJARS_', rest: '[a-z0-9]{60}' },
    { start: 'rdme_', rest: '[a-z0-9]{60,}' },
    { start: 'lin_(?:api|oauth)_', rest: `${word}{32,}` },
    { start: 'lsv2_(?:pt|sk)_', rest: '[A-Za-z0-9_]{32,}' },
    { start: '(?:sbp|e2b)_', rest: `${hex}{40}` },
    { start: 'ops_', rest: 'eyJ[A-Za-z0-9_+/-]{40,}' },
    { start: 'rnd_', rest: `${word}{28,}` },
  ],
  '-': [
    { start: 'sk-', rest: `${webWord}{20,}` },
    { start: 'gl(?:pat|ptt|dt|rt|cbt|ft|ffct|soat|oas|imt|agent)-', rest: '[A-Za-z0-9_.-]{20,}' },
    { start: 'x(?:ox[a-eoprs]|app)-', rest: '[A-Za-z0-9%-]{10,}' },
    { start: 'xai-', rest: `${word}{30,}` },
    { start: 'pypi-', rest: `${webWord}{50,}` },
    { start: 'GOCSPX-', rest: `${webWord}{24,}` },
    { start: '(?:NRAK|NRJS|NRII)-', rest: `${webWord}{19,}` },
    {
      start: '(?:pplx|nvapi|tvly|csk|tskey-(?:auth|api|client|webhook)|bedrock-api-key)-',
      rest: '[A-Za-z0-9_=-]{24,}',
    },
    { start: 'pa-', rest: `${webWord}{43}(?![A-Za-z0-9_-])` },
    { start: '(?:key|fc)-', rest: `${hex}{32}${end}` },
    { start: 'pul-', rest: `${hex}{40}` },
    { start: 'PMAK-', rest: `${hex}{24}-${hex}{34}` },
    { start: 'CFPAT-', rest: `${webWord}{40,}` },
    { start: 'AGE-SECRET-KEY-', rest: '1[0-9A-Z]{58}' },
    { start: 'sq0(?:atp|csp)-', rest: `${webWord}{22,}` },
    { start: '(?:xkeysib|xsmtpsib)-', rest: `${hex}{64}-${word}{16}` },
    { start: '(?:dnkey|fio-u|tk-us)-', rest: '[A-Za-z0-9_=-]{40,}' },
    { start: '(?:p8e|ico)-', rest: `${word}{32}${end}` },
    { start: 'API-', rest: `${capital}{26}${end}` },
    { start: 'HRKU-', rest: `AA${webWord}{58}` },
    { start: 's-s4t2(?:ud|af)-', rest: `${hex}{64}` },
    { start: 'A3-', rest: `${capital}{6}-(?:${capital}{11}|${capital}{6}-${capital}{5})(?:-${capital}{5}){3}` },
    { start: 'FLWSECK(?:_TEST)?-', rest: `${word}{12,}` },
    { start: 'v1\\.0-', rest: `${hex}{24}-${hex}{100,}` },
    { start: 'access-(?:sandbox|development|production)-', rest: `${hex}{8}(?:-${hex}{4}){3}-${hex}{12}` },
  ],
  '.': [
    { start: 'ya29\\.', rest: '[A-Za-z0-9_.-]{20,}' },
    { start: 'SG\\.', rest: `${webWord}{16,}\\.${webWord}{16,}` },
    { start: 'hv[sbr]\\.', rest: `${webWord}{24,}` },
    { start: 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.', rest: '[A-Za-z0-9_.-]{40,}' },
    { start: 'sk\\.', rest: `eyJ${webWord}{20,}\\.${webWord}{20,}` },
    { start: 'dt0[a-z]\\d{2}\\.', rest: '[A-Z0-9]{24}\\.[A-Z0-9]{64}' },
    { start: 'sl\\.', rest: '[A-Za-z0-9_=-]{100,}' },
    { start: '[ps]at\\.', rest: `${webWord}{22}\\.${word}{24}\\.${word}{20}` },
    { start: 't1\\.', rest: `[A-Za-z0-9_=-]{10,}\\.[A-Za-z0-9_-]{86}={0,2}` },
    { start: 'amzn\\.mws\\.', rest: `${hex}{8}(?:-${hex}{4}){3}-${hex}{12}` },
    { start: 'eyJ', rest: `${webWord}{8,}\\.${webWord}{8,}\\.${webWord}{8,}` },
    { start: 'pat', rest: `${word}{14}\\.${hex}{64}` },
    // Bots of Discord: the number of the bot in base64, a time, a signature.
    { start: '[MNO]', rest: `[A-Za-z0-9]{23,27}\\.${webWord}{6}\\.${webWord}{27,}` },
  ],
  '': [
    { start: 'A(?:KIA|SIA|BIA|CCA)', rest: `[A-Z0-9]{16}${end}` },
    { start: 'A(?:KID|TBB)', rest: `${word}{32}${end}` },
    { start: 'A(?:KCp|BSK)', rest: `${base64}{60,}` },
    { start: 'AIza', rest: `${webWord}{30,}` },
    { start: 'AQVN', rest: `${webWord}{35,38}(?![A-Za-z0-9_-])` },
    { start: 'AT(?:ATT|CTT)3', rest: '[A-Za-z0-9_=-]{40,}' },
    { start: 'EAA(?:A|[MC](?=[A-Za-z0-9]{100}))', rest: `${webWord}{22,}` },
    { start: 'EZ[AT]K', rest: `${word}{54}${end}` },
    { start: 'GR1348941', rest: `${webWord}{20}` },
    { start: 'LTAI', rest: `${word}{16,24}${end}` },
    { start: 'SK', rest: `${hex}{32}${end}` },
    { start: 'ZXlK', rest: `${word}{60,}` },
    { start: 'cmVmd', rest: `${word}{59}${end}` },
    { start: 'dapi', rest: `${hex}{32}(?:-\\d)?${end}` },
    { start: 'eyJrIjoi', rest: `${word}{60,}` },
  ],
  // These have no prefix that ends with a sign, or one that would be looked for in every text.
  'sha256~': [{ start: 'sha256~', rest: `${webWord}{43}` }],
  'Q~': [{ start: '[A-Za-z0-9_~.]{3}\\dQ~', rest: '[A-Za-z0-9_~.-]{31,}' }],
  '1//0': [{ start: '1//0', rest: `${webWord}{40,}` }],
  '.atlasv1.': [{ start: '[A-Za-z0-9]{14}\\.atlasv1\\.', rest: '[A-Za-z0-9_=-]{60,}' }],
  access_token$: [{ start: 'access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$', rest: `${hex}{32}` }],
  _mmk: [{ start: '', rest: `${word}{6}_${word}{29}_mmk${end}` }],
  '-us1': [{ start: '', rest: `${hex}{32}-us1\\d?${end}` }],
  '-us2': [{ start: '', rest: `${hex}{32}-us2\\d?${end}` }],
  // Bots of Telegram: their number stays.
  ':': [{ start: '\\d{8,12}:', rest: `AA${webWord}{33}(?![A-Za-z0-9_-])` }],
};
