# Three to seven runs of each of the packages in three suites on three architectures.
require 'json'
require 'debci'
require 'debci/db'
require 'debci/job'
require 'debci/package'
require 'debci/user'
require 'debci/html'

Debci::DB.migrate
chance = Random.new(5)
start = Time.utc(2024, 3, 4, 6)
people = %w[britney ci-migration ada bela carla].map { |name| Debci::User.create!(username: name) }
docs = $stdin.each_line.map { |line| JSON.parse(line) }
Debci::Job.transaction do
  docs.each_with_index do |doc, number|
    name = number % 3 == 0 ? "lib#{doc['name']}-perl" : doc['name']
    package = Debci::Package.create!(name: name)
    Debci.config.suite_list.each_with_index do |suite, at|
      Debci.config.arch_list.each_with_index do |arch, place|
        next if (number + at * 2 + place) % 19 == 18
        before = passed = nil
        (3 + chance.rand(5)).times do |run|
          roll = chance.rand(20)
          status = number % 11 == place ? 'fail' : roll < 15 ? 'pass' : roll < 17 ? 'fail' : roll < 19 ? 'neutral' : 'tmpfail'
          other = docs[(number * 7 + run * 3 + place) % docs.size]['name']
          pinned = at == 1 && run % 3 == 1
          job = Debci::Job.create!(
            package: package, suite: suite, arch: arch, requestor: people[(number + run) % (pinned ? 2 : 5)],
            version: "5.#{20 + number % 17}.#{run / 2}-#{3 - at}", trigger: run.zero? ? nil : "#{other}/#{1 + run}.#{number % 9}", status: status, previous_status: before&.status,
            date: start + number * 3600 + at * 500 + place * 70 + run * 86_400 * 3, duration_seconds: 30 + chance.rand(4000), message: status,
            pin_packages: pinned ? [["src:#{other}", 'unstable']] : [], last_pass_date: passed&.date, last_pass_version: passed&.version,
            created_at: start + number * 3600 + run * 86_400 * 3
          )
          before = job
          passed = job if status == 'pass'
        end
        next unless (number + at + place) % 23 == 7
        Debci::Job.create!(package: package, suite: suite, arch: arch, requestor: people[number % 5], trigger: "again, #{doc['title']}"[0, 80], pin_packages: [], created_at: start + 86_400 * 40)
      end
    end
  end
end
Debci::HTML.update
Debci::Package.find_each { |package| Debci::HTML.update_package(package) }
