// Reads jobs and prints an order. `ratio`: by weight for each unit of length; `swaps`: from there, exchanges two jobs as long
// as that makes the weighted delay smaller.
#include <algorithm>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

struct Job { long length, weight, due; };

static long delay(const std::vector<Job>& jobs, const std::vector<int>& order) {
    long time = 0, sum = 0;
    for (int job : order) {
        time += jobs[job].length;
        sum += jobs[job].weight * std::max(0L, time - jobs[job].due);
    }
    return sum;
}

int main(int, char** words) {
    int count = 0;
    std::cin >> count;
    std::vector<Job> jobs(count);
    for (Job& job : jobs) std::cin >> job.length >> job.weight >> job.due;
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return jobs[a].weight * jobs[b].length > jobs[b].weight * jobs[a].length;
    });
    long moves = 0;
    for (bool better = std::string(words[1]) == "swaps"; better;) {
        better = false;
        for (int a = 0; a < count; ++a)
            for (int b = a + 1; b < count; ++b) {
                long before = delay(jobs, order);
                std::swap(order[a], order[b]);
                if (delay(jobs, order) < before) better = true, ++moves;
                else std::swap(order[a], order[b]);
            }
    }
    std::cerr << "[DATA] moves = " << moves << "\n";
    for (int job : order) std::cout << job << "\n";
}
