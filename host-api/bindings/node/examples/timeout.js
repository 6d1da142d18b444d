const { run } = require('wtool');

run('sleep 600 & setsid sleep 600 & echo started; sleep 600', { timeout: 1 }).then((result) => {
  console.log(result.errorCode); // timed_out
  process.stdout.write(result.stdout); // started
  // All three are dead now, the one in a session of its own too.
});
