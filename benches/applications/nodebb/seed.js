'use strict';
// 260 topics about the manual's sections, which it reads as JSON, in twelve categories, by twenty people who follow, vote and are in groups.
const nconf = require('nconf'), path = require('path'), fs = require('fs');
nconf.argv().env().file({ file: path.join(__dirname, 'config.json') });
nconf.defaults({ base_dir: __dirname, themes_path: path.join(__dirname, 'node_modules'), views_dir: path.join(__dirname, 'public/templates'), version: '1.4.0' });
nconf.set('url_parsed', require('url').parse(nconf.get('url')));
nconf.set('base_url', nconf.get('url'));
nconf.set('relative_path', '');
nconf.set('isPrimary', 'true');
nconf.set('isCluster', 'false');
nconf.set('upload_path', '/public/uploads');
nconf.set('upload_url', '/uploads');
require('./public/src/utils');
String.prototype.rtrim = String.prototype.rtrim || function () { return this.replace(/\s+$/g, ''); };

const PEOPLE = ['ada', 'bela', 'carla', 'dmitri', 'edith', 'femi', 'greta', 'hugo'];
const TAGS = ['syntax', 'regex', 'unicode', 'build', 'modules', 'objects', 'threads', 'debugging', 'input', 'output', 'numbers', 'strings', 'hashes', 'arrays',
  'files', 'history', 'platforms', 'testing'];
const DAY = 86400000, START = Math.floor(Date.now() / DAY) * DAY - 300 * DAY;
const does = (call, ...given) => new Promise((done, fail) => call(...given, (error, value) => (error ? fail(error) : done(value))));

async function main() {
  const every = fs.readFileSync(0, 'utf8').trim().split('\n').map(JSON.parse).flatMap(doc => doc.sections.map(one => ({ name: doc.name, heading: one.heading, paragraphs: one.paragraphs })));
  const section = number => every[number * 31 % every.length];
  const db = require('./src/database');
  await does(db.init);
  const meta = require('./src/meta');
  await does(meta.configs.init);
  // It fetches pictures from elsewhere when it starts.
  await does(db.sortedSetRemove, 'plugins:active', 'nodebb-plugin-emoji-one');
  const user = require('./src/user'), categories = require('./src/categories'), topics = require('./src/topics'), posts = require('./src/posts'), groups = require('./src/groups');
  meta.config.allowGuestSearching = 1;
  for (const [name, value] of [['allowGuestSearching', 1], ['title', 'The manual, discussed'], ['eventLoopCheckEnabled', 0], ['postDelay', 0], ['initialPostDelay', 0], ['newbiePostDelay', 0]]) {
    await does(meta.configs.set, name, value);
  }
  const people = [];
  for (let number = 0; number < 20; number++) {
    const name = PEOPLE[number % 8] + (number >= 8 ? Math.floor(number / 8) : '');
    const uid = await does(user.create, { username: name, email: name + '@example.org', timestamp: START + number * DAY });
    await does(user.setUserField.bind(user), uid, 'aboutme', section(number + 500).paragraphs[0].slice(0, 400));
    people.push(uid);
  }
  for (let number = 0; number < 20; number++) {
    for (let step = 1; step < number % 5; step++) await does(user.follow, people[number], people[(number + step * 3) % 20]);
  }
  for (const [number, name] of ['Porters', 'Readers', 'Testers', 'Translators'].entries()) {
    await does(groups.create, { name, description: `Those who are ${name.toLowerCase()}`, userTitle: name, ownerUid: people[number], timestamp: START });
    for (let step = 0; step < 6; step++) await does(groups.join, name, people[(number * 4 + step * 2) % 20]);
  }
  // Beside the four that it comes with.
  const places = (await does(db.getSortedSetRange, 'categories:cid', 0, -1)).map(Number);
  for (const name of ['Guide', 'Reference', 'Questions']) {
    const top = await does(categories.create, { name, description: `About the ${name.toLowerCase()}`, order: 10 });
    places.push(top.cid);
    for (const part of ['Beginners', 'Internals'].slice(name === 'Questions')) {
      places.push((await does(categories.create, { name: `${name}: ${part}`, description: `${part} in ${name.toLowerCase()}`, parentCid: top.cid })).cid);
    }
  }
  for (let number = 0; number < 260; number++) {
    const { name, heading, paragraphs } = section(number);
    const begun = START + number * 27 * 3600000;
    const tags = [];
    for (let step = 0; step < number % 4; step++) tags.push(TAGS[(number * 5 + step * 7) % TAGS.length]);
    const made = await does(topics.post, { uid: people[number * 7 % 20], cid: places[number * 5 % places.length], title: `${name}: ${heading}`.slice(0, 200), content: paragraphs.slice(0, 3).join('\n\n').slice(0, 1500) + '\n\nSo it says.', tags, timestamp: begun });
    const tid = made.topicData.tid, pids = [made.postData.pid];
    const turns = number % 40 === 7 ? 60 : number * number % 19;
    for (let turn = 0; turn < turns; turn++) {
      const source = section(number * 31 + turn * 7 + 400).paragraphs;
      const said = await does(topics.reply, { uid: people[(number * 7 + turn * turn) % 20], tid, timestamp: begun + (turn + 1) * 5400000, toPid: turn % 3 === 2 ? pids[turn - 1] : undefined,
        content: (turn % 5 === 3 ? `@${PEOPLE[turn % 8]} said so: ` : '') + source[turn % source.length].slice(0, 900) + '\n\nSo it says.' });
      pids.push(said.pid);
    }
    for (let step = 0; step < number % 3; step++) {
      const pid = pids[step * 2 % pids.length], voter = people[(number * 7 + 11 + step) % 20];
      await does(posts.upvote, pid, voter).catch(() => 0);
    }
    if (number % 60 === 0) await does(topics.tools.pin, tid, 1);
    if (number % 45 === 0) await does(topics.tools.lock, tid, 1);
    await does(topics.setTopicField, tid, 'viewcount', number * 37 % 500);
  }
  process.exit(0);
}
main().catch(error => { console.error(error); process.exit(1); });
